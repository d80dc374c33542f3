/**
 * The protocol's model checker.
 *
 *   npm run model                    every fault mix, explored to the end
 *   npm run model -- --quick         the mixes small enough for every push, and all planted holes
 *   npm run model -- --planted       every known hole switched on in turn; each must be found
 *   npm run model -- WORD …          only what has one of these words in its name
 *   npm run model -- --json          one JSON line per exploration, nothing else
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { MIXES } from "./mixes.ts";
import { HOLES } from "./planted.ts";
import { runInThreads } from "./pool.ts";
import { coverageLines, holeLines, jsonLine, mixLine } from "./report.ts";
import { coverageOf, type Outcome, SUCCESSION, type Task } from "./run.ts";
import { SUCCESSION_HOLES } from "./succession.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    planted: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

function say(...lines: readonly string[]): void {
  if (!values.json) for (const line of lines) process.stdout.write(`${line}\n`);
}
const wanted = (name: string): boolean => positionals.length === 0 || positionals.some((word) => name.includes(word));
const threads = Math.min(2, availableParallelism());

async function explore(tasks: readonly Task[], lines: (o: Outcome) => readonly string[]): Promise<Outcome[]> {
  return runInThreads(tasks, threads, (outcome) => {
    if (values.json) process.stdout.write(`${jsonLine(outcome)}\n`);
    else say(...lines(outcome));
  });
}

/** Null where nothing was chosen: that is neither good nor bad, unless it is all there is. */
async function mixes(): Promise<boolean | null> {
  const chosen = MIXES.filter((mix) => (!values.quick || mix.quick) && wanted(mix.name));
  if (chosen.length === 0) return null;
  say(`Exploring ${chosen.length} fault mixes of the protocol to the end.`, "");
  const outcomes = await explore(
    chosen.map(({ name }) => ({ set: "mix", name })),
    (o) => mixLine(o),
  );
  const failed = outcomes.filter((o) => o.verdict !== "holds");
  const total = (pick: (o: Outcome) => number): string =>
    outcomes.reduce((n, o) => n + pick(o), 0).toLocaleString("en");
  say("", `${outcomes.length - failed.length} of ${outcomes.length} mixes hold, all explored to the end:`);
  say(`${total((o) => o.states)} states, ${total((o) => o.transitions)} transitions.`, "");
  // Coverage is a promise of the whole set; a chosen few cannot keep it.
  const coverage = coverageOf(outcomes);
  const complete = positionals.length === 0;
  if (complete) say(...coverageLines(coverage), "");
  return failed.length === 0 && (!complete || coverage.gaps.length === 0);
}

async function planted(): Promise<boolean | null> {
  const isWanted = (hole: { readonly id: string; readonly title: string }): boolean =>
    wanted(hole.id) || wanted(hole.title);
  const tasks: Task[] = [
    ...HOLES.filter(isWanted).map(({ id }) => ({ set: "hole" as const, name: id })),
    ...SUCCESSION_HOLES.filter(isWanted).map(({ id }) => ({ set: "succession" as const, name: id })),
  ];
  if (tasks.length === 0) return null;
  say(`Switching ${tasks.length} known holes on, one at a time; each must be found.`, "");
  const outcomes = await explore(tasks, (o) => holeLines(o, !values.quick));
  const missed = outcomes.filter((o) => o.verdict !== "violated" && o.verdict !== "stuck");
  say("", `${outcomes.length - missed.length} of ${outcomes.length} planted holes found.`);
  for (const o of missed) say(`NOT FOUND: ${o.task.name}`);
  return missed.length === 0;
}

/** The model of the succession is one exploration, and so small that it is part of every run. */
async function leaders(): Promise<boolean | null> {
  if (values.planted || !wanted(SUCCESSION)) return null;
  const [outcome] = await explore([{ set: "succession", name: SUCCESSION }], (o) => mixLine(o));
  return outcome?.verdict === "holds";
}

const runs = [leaders, ...(values.planted ? [] : [mixes]), ...(values.planted || values.quick ? [planted] : [])];
const results: (boolean | null)[] = [];
for (const run of runs) results.push(await run());
if (results.every((result) => result === null)) {
  process.stderr.write(`Nothing is named like ${positionals.join(" or ")}; leave the words out to see all names.\n`);
  process.exitCode = 2;
} else process.exitCode = results.includes(false) ? 1 : 0;
