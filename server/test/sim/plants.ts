import type { Plant } from "./plant.ts";
import { ABLATIONS } from "./plants-ablations.ts";
import { GAPS } from "./plants-gaps.ts";
import { HOLES } from "./plants-holes.ts";
import { ON_KUBERNETES } from "./plants-kubernetes.ts";
import { PREPARING } from "./plants-preparing.ts";
import { SUCCESSION } from "./plants-succession.ts";

export const PLANTS: readonly Plant[] = [
  ...HOLES,
  ...GAPS,
  ...ABLATIONS,
  ...PREPARING,
  ...SUCCESSION,
  ...ON_KUBERNETES,
];

/** Every invariant the oracle checks must have caught something. */
export const INVARIANTS = [
  ...["I1", "I1r", "I2", "I3", "I4", "I5", "I6", "I7", "I8", "I9", "I10", "I11", "I12", "I13", "I14"],
  ...["I17", "I18", "I19", "I20", "I21", "I22", "I23", "IE", "IW", "L"],
] as const;

export function plantNamed(name: string): Plant {
  const plant = PLANTS.find((one) => one.name === name);
  if (plant === undefined) throw new Error(`There is no planted bug ${name}.`);
  return plant;
}
