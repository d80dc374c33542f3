import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { TALLY_FILE, type Tally } from "./test/tally-reporter.ts";

/**
 * Runs every check and every test, one step after the other, and counts. What decides is the last line and the exit code.
 * `--gate` runs only what comes before every commit; words choose steps by name.
 */

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Part of the gate before every commit. */
  readonly gate?: boolean;
  /** Vitest counts its own tests; any other step is one. */
  readonly vitest?: boolean;
}

const node = (...args: string[]): string[] => [process.execPath, ...args];

/** Projects that keep real engines and browsers busy: one after the other, or they starve each other on two cores. */
const HEAVY = ["runtime", "data", "upgrade", "docker", "kubernetes", "chaos", "e2e", "ide"];
/** Of these also the files: they freeze and cut off what the others would need. */
const ALONE = ["runtime", "docker", "chaos"];
const projects = (names: readonly string[]): string[] => names.flatMap((name) => ["--project", name]);

const STEPS: readonly Step[] = [
  { name: "format and lint", command: ["biome", "check", "--error-on-warnings", "."], gate: true },
  ...["contract", "server/src/core", "server/src/proxy/pages/browser", "server", "dashboard"].map((project) => ({
    name: `types of ${project}`,
    command: ["tsc", "-p", project],
    gate: true,
  })),
  { name: "dead code", command: ["knip"], gate: true },
  { name: "unit tests", command: ["vitest", "run", ...projects(["unit"])], vitest: true, gate: true },
  {
    name: "tests on a database",
    command: ["vitest", "run", ...projects(["!unit", ...HEAVY.map((name) => `!${name}`)])],
    vitest: true,
  },
  ...HEAVY.map((name) => ({
    name: `${name} tests`,
    command: ["vitest", "run", ...(ALONE.includes(name) ? ["--no-file-parallelism"] : []), ...projects([name])],
    vitest: true,
  })),
  { name: "fresh machine", command: ["bash", "scripts/test/fresh-machine.sh"] },
  { name: "simulation, 2000 seeds", command: node("server/test/sim/main.ts", "--seeds", "2000") },
  { name: "simulation, planted bugs", command: node("server/test/sim/main.ts", "--planted") },
  { name: "simulation, crash sweep", command: node("server/test/sim/main.ts", "--sweep") },
];

/** What a step that is no vitest run ends with where it cannot be done. It says itself why, and how to enable it. */
const SKIPPED = 77;

interface Total {
  passed: number;
  failed: number;
  skipped: number;
  /** Steps that failed and how they ended, each followed by what failed in it. */
  readonly broken: string[];
  readonly unsteady: string[];
}

function howItEnded({ status, signal, error }: SpawnSyncReturns<Buffer>): string {
  if (error !== undefined) return `it could not be run: ${error.message}`;
  return signal === null ? `exit ${status}` : `ended by ${signal}`;
}

function run(step: Step, total: Total): void {
  const report = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "codehub-test-")), "tally.json");
  const reporters = step.vitest === true ? ["--reporter=default", "--reporter=./scripts/test/tally-reporter.ts"] : [];
  const [program = "", ...args] = [...step.command, ...reporters];
  console.log(`\n=== ${step.name}`);
  const begun = performance.now();
  const result = spawnSync(program, args, { stdio: "inherit", env: { ...process.env, [TALLY_FILE]: report } });
  const { status } = result;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  if (status === SKIPPED && step.vitest !== true) {
    console.log(`=== ${step.name}: skipped`);
    total.skipped += 1;
    return;
  }
  console.log(`=== ${step.name}: ${status === 0 ? "ok" : `FAILED (${howItEnded(result)})`} in ${seconds} s`);
  if (status !== 0) total.broken.push(`${step.name} (${howItEnded(result)})`);
  if (step.vitest === true && fs.existsSync(report)) {
    const tally: Tally = JSON.parse(fs.readFileSync(report, "utf8"));
    total.broken.push(...tally.broken.map(indented));
    total.unsteady.push(...tally.unsteady.map(indented));
    total.passed += tally.passed;
    total.failed += tally.failed;
    total.skipped += tally.skipped;
    // It failed after the last test, when the engines were stopped.
    if (status !== 0 && tally.failed === 0) total.failed += 1;
  } else {
    total[status === 0 ? "passed" : "failed"] += 1;
  }
}

const indented = (text: string): string => `  ${text}`;

const total: Total = { passed: 0, failed: 0, skipped: 0, broken: [], unsteady: [] };
const gateOnly = process.argv.includes("--gate");
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const chosen = STEPS.filter((step) => (gateOnly ? step.gate === true : true)).filter(
  (step) => wanted.length === 0 || wanted.some((word) => step.name.includes(word)),
);
for (const word of wanted) {
  if (chosen.some((step) => step.name.includes(word))) continue;
  console.error(`No step is called "${word}". There are: ${STEPS.map((step) => step.name).join(", ")}.`);
  total.failed += 1;
}
for (const step of chosen) run(step, total);
// The last lines are all that is kept of a long log: they say everything again that somebody must know.
if (total.unsteady.length > 0)
  console.log(`\nPassed only when tried again; the first try said:\n${total.unsteady.join("\n")}`);
if (total.broken.length > 0) console.error(`\nFailed, in their order:\n${total.broken.join("\n")}`);
console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`);
process.exitCode = total.failed === 0 ? 0 : 1;
