import { setTimeout as delay } from "node:timers/promises";

/** A question that people or machines ask all the time; it throws where the answer is not the right one. */
export type Question = () => Promise<void>;

const PAUSE_MS = 50;

/** Asks all of them, one after the other and again, until told to stop; answers the 95th percentile of each, in milliseconds. */
export function startAsking<Name extends string>(
  questions: Readonly<Record<Name, Question>>,
): () => Promise<Readonly<Record<Name, number>>> {
  const names = Object.keys(questions) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  let told = false;
  const asking = (async () => {
    while (!told) {
      for (const name of names) {
        const begun = performance.now();
        await questions[name]();
        times.get(name)?.push(performance.now() - begun);
      }
      await delay(PAUSE_MS);
    }
  })();
  // It is awaited when it is told to stop; what went wrong is said then.
  asking.catch(() => {});
  return async () => {
    told = true;
    await asking;
    return Object.fromEntries(names.map((name) => [name, p95(times.get(name) ?? [])])) as Record<Name, number>;
  };
}

const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
