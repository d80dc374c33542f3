import { parseArgs } from "node:util";
import { plantedRun } from "./main-planted.ts";
import { seedsRun } from "./main-seeds.ts";
import { sweepRun } from "./main-sweep.ts";

const USAGE = `npm run sim -- [--seeds N] [--seed S] [--minutes M]   random seeds from S on
npm run sim -- --seed S --trace [--plant NAME]     one seed, told step by step
npm run sim -- --planted                           every planted bug must be found
npm run sim -- --sweep                             a crash at every await of every operation`;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string" },
    trace: { type: "boolean", default: false },
    plant: { type: "string" },
    planted: { type: "boolean", default: false },
    sweep: { type: "boolean", default: false },
    scenario: { type: "string" },
    crash: { type: "string", multiple: true },
    help: { type: "boolean", default: false },
  },
});

function whole(text: string, name: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`--${name} must be a whole number.\n${USAGE}`);
  process.exit(2);
}

if (values.help) {
  console.log(USAGE);
} else if (values.planted) {
  process.exitCode = (await plantedRun(values.plant ?? null)) ? 0 : 1;
} else if (values.sweep) {
  process.exitCode = (await sweepRun(values.scenario ?? null, values.crash ?? [])) ? 0 : 1;
} else {
  const ok = await seedsRun({
    from: whole(values.seed, "seed"),
    count: values.trace ? 1 : whole(values.seeds, "seeds"),
    minutes: values.minutes === undefined ? null : whole(values.minutes, "minutes"),
    trace: values.trace,
    plant: values.plant ?? null,
  });
  process.exitCode = ok ? 0 : 1;
}
