import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { TALLY_FILE, type Tally } from "./test/tally-reporter.ts";

/**
 * Runs every check and every test, and counts. What decides is the last line and the exit code. One step after the other,
 * and beside them what mostly waits or only calculates. `--gate` runs only what comes before every commit; words choose steps by name.
 */

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Part of the gate before every commit. */
  readonly gate?: boolean;
  /** Vitest counts its own tests; any other step is one. */
  readonly vitest?: boolean;
  /**
   * Beside the others, one of these after the other. What only calculates takes what engines and browsers leave of the
   * processor, and never what they want; what mostly waits for an engine of its own gets its share.
   */
  readonly beside?: "calculates" | "waits";
}

const node = (...args: string[]): string[] => [process.execPath, ...args];

/** Projects that keep real engines and browsers busy: one after the other, or they starve each other on two cores. */
const HEAVY = ["runtime", "data", "upgrade", "docker", "kubernetes", "chaos", "replicas", "e2e", "ide"];
/** Of these also the files: they freeze and cut off what the others would need. */
const ALONE = ["runtime", "docker", "chaos"];
/** Left to itself, Vitest uses one core less than there are: of CI's two, one. These use both. */
const WORKERS: Readonly<Record<string, number>> = { unit: 2, database: 2, data: 2 };
/** A cluster attaches a disk in seconds, however little there is to do. It begins at once, and has gone before there are browsers. */
const WAITS = "kubernetes";
const workers = (name: string): string[] => (WORKERS[name] === undefined ? [] : [`--maxWorkers=${WORKERS[name]}`]);
const alone = (name: string): string[] => (ALONE.includes(name) ? ["--no-file-parallelism"] : []);
const projects = (names: readonly string[]): string[] => names.flatMap((name) => ["--project", name]);

const STEPS: readonly Step[] = [
  { name: "format and lint", command: ["biome", "check", "--error-on-warnings", "."], gate: true },
  ...["contract", "server/src/core", "server/src/proxy/pages/browser", "server", "dashboard"].map((project) => ({
    name: `types of ${project}`,
    command: ["tsc", "-p", project],
    gate: true,
  })),
  { name: "dead code", command: ["knip"], gate: true },
  {
    name: "unit tests",
    command: ["vitest", "run", ...workers("unit"), ...projects(["unit"])],
    vitest: true,
    gate: true,
  },
  {
    name: "tests on a database",
    command: ["vitest", "run", ...workers("database"), ...projects(["!unit", ...HEAVY.map((name) => `!${name}`)])],
    vitest: true,
  },
  ...HEAVY.map((name) => ({
    name: `${name} tests`,
    command: ["vitest", "run", ...alone(name), ...workers(name), ...projects([name])],
    vitest: true,
    ...(name === WAITS ? { beside: "waits" as const } : {}),
  })),
  { name: "fresh machine", command: ["bash", "scripts/test/fresh-machine.sh"] },
  { name: "simulation, 2000 seeds", command: node("server/test/sim/main.ts", "--seeds", "2000"), beside: "calculates" },
  { name: "simulation, planted bugs", command: node("server/test/sim/main.ts", "--planted"), beside: "calculates" },
  { name: "simulation, crash sweep", command: node("server/test/sim/main.ts", "--sweep"), beside: "calculates" },
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

interface Ending {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly problem: string | null;
}

function howItEnded({ status, signal, problem }: Ending): string {
  if (problem !== null) return `it could not be run: ${problem}`;
  return signal === null ? `exit ${status}` : `ended by ${signal}`;
}

async function endOf(
  [program = "", ...args]: readonly string[],
  output: "inherit" | number,
  report: string,
): Promise<Ending> {
  const env = { ...process.env, [TALLY_FILE]: report };
  const child = spawn(program, args, { stdio: ["inherit", output, output], env });
  try {
    const [status, signal] = await once(child, "exit");
    return { status, signal, problem: null };
  } catch (error) {
    return { status: null, signal: null, problem: String(error) };
  }
}

/** What a step beside the others says is told when it has ended: two at once would be nobody's. */
async function run(step: Step, total: Total): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "codehub-test-"));
  const [report, log] = [path.join(folder, "tally.json"), path.join(folder, "output")];
  const reporters = step.vitest === true ? ["--reporter=default", "--reporter=./scripts/test/tally-reporter.ts"] : [];
  const politely = step.beside === "calculates" ? ["nice", "-n", "19"] : [];
  if (step.beside === undefined) console.log(`\n=== ${step.name}`);
  const begun = performance.now();
  const output = step.beside !== undefined ? fs.openSync(log, "w") : "inherit";
  const ending = await endOf([...politely, ...step.command, ...reporters], output, report);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  if (step.beside !== undefined) console.log(`\n=== ${step.name}, beside the others\n${fs.readFileSync(log, "utf8")}`);
  if (ending.status === SKIPPED && step.vitest !== true) {
    console.log(`=== ${step.name}: skipped`);
    total.skipped += 1;
    return;
  }
  const isFine = ending.status === 0;
  console.log(`=== ${step.name}: ${isFine ? "ok" : `FAILED (${howItEnded(ending)})`} in ${seconds} s`);
  if (!isFine) total.broken.push(`${step.name} (${howItEnded(ending)})`);
  if (step.vitest === true && fs.existsSync(report)) {
    const tally: Tally = JSON.parse(fs.readFileSync(report, "utf8"));
    total.broken.push(...tally.broken.map(indented));
    total.unsteady.push(...tally.unsteady.map(indented));
    total.passed += tally.passed;
    total.failed += tally.failed;
    total.skipped += tally.skipped;
    // It failed after the last test, when the engines were stopped.
    if (!isFine && tally.failed === 0) total.failed += 1;
  } else {
    total[isFine ? "passed" : "failed"] += 1;
  }
}

async function runInOrder(steps: readonly Step[], total: Total): Promise<void> {
  for (const step of steps) await run(step, total);
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
// The gate takes both cores for itself, and is what fails most.
const [gate, rest] = [chosen.filter((step) => step.gate === true), chosen.filter((step) => step.gate !== true)];
await runInOrder(gate, total);
const lanes = [rest.filter((step) => step.beside === undefined), rest.filter((step) => step.beside !== undefined)];
await Promise.all(lanes.map((lane) => runInOrder(lane, total)));
// The last lines are all that is kept of a long log: they say everything again that somebody must know.
if (total.unsteady.length > 0)
  console.log(`\nPassed only when tried again; the first try said:\n${total.unsteady.join("\n")}`);
if (total.broken.length > 0) console.error(`\nFailed, in their order:\n${total.broken.join("\n")}`);
console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`);
process.exitCode = total.failed === 0 ? 0 : 1;
