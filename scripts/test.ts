import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

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
const HEAVY = ["runtime", "data", "upgrade", "docker", "chaos", "e2e", "ide"];
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

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  /** Steps that failed and how they ended, each followed by its tests that failed. */
  readonly broken: string[];
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests?: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** A line for each: the last lines are all that is kept of a long log. */
function failures({ testResults }: VitestReport): string[] {
  const line = (file: string, test: string, message = ""): string =>
    `  ${path.relative("", file)}: ${test}: ${message.split("\n", 1)[0]}`;
  return testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === "failed");
      if (failed.length === 0) return [line(name, "the file itself", message)];
      return failed.map(({ fullName, failureMessages }) => line(name, fullName, failureMessages?.[0]));
    });
}

function howItEnded({ status, signal, error }: SpawnSyncReturns<Buffer>): string {
  if (error !== undefined) return `it could not be run: ${error.message}`;
  return signal === null ? `exit ${status}` : `ended by ${signal}`;
}

function run(step: Step, total: Tally): void {
  const report = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "codehub-test-")), "report.json");
  const reporters =
    step.vitest === true ? ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`] : [];
  const [program = "", ...args] = [...step.command, ...reporters];
  console.log(`\n=== ${step.name}`);
  const begun = performance.now();
  const result = spawnSync(program, args, { stdio: "inherit" });
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
    const counts: VitestReport = JSON.parse(fs.readFileSync(report, "utf8"));
    total.broken.push(...failures(counts));
    total.passed += counts.numPassedTests;
    total.failed += counts.numFailedTests;
    total.skipped += counts.numPendingTests + (counts.numTodoTests ?? 0);
    // A suite that could not even be loaded has no tests to count.
    if (status !== 0 && counts.numFailedTests === 0) total.failed += 1;
  } else {
    total[status === 0 ? "passed" : "failed"] += 1;
  }
}

const total: Tally = { passed: 0, failed: 0, skipped: 0, broken: [] };
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
if (total.broken.length > 0)
  console.error(`\nFailed, in their order; what each said is above:\n${total.broken.join("\n")}`);
console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`);
process.exitCode = total.failed === 0 ? 0 : 1;
