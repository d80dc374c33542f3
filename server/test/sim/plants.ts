import type { Plant } from "./plant.ts";

export const PLANTS: readonly Plant[] = [];

export function plantNamed(name: string): Plant {
  const plant = PLANTS.find((one) => one.name === name);
  if (plant === undefined) throw new Error(`There is no planted bug ${name}.`);
  return plant;
}
