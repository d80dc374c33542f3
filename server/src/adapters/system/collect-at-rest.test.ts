import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { collectAtRest } from "./collect-at-rest.ts";

/** What is collected when a process spends these shares of its time working, look by look. */
async function collections(...shares: number[]): Promise<number[]> {
  const over = new AbortController();
  const looks: number[] = [];
  let look = 0;
  const clock = {
    sleep: async () => {
      look += 1;
      if (look > shares.length) over.abort();
    },
  };
  const busy = () => shares[look - 1] ?? 0;
  await collectAtRest(clock, over.signal, () => void looks.push(look), busy);
  return looks;
}

test.each([
  ["after the start, once", [0, 0, 0], [1]],
  ["not while there is work", [0.9, 0.05, 0.5], []],
  ["once after each time of work", [0.9, 0, 0, 0.06, 0.01, 0.01], [2, 5]],
  ["not while it is neither work nor rest", [0.04, 0.03, 0.02], []],
  ["not again after what was hardly work", [0, 0.04, 0, 0.04, 0], [1]],
])("memory is given back %s", async (_when, shares, expected) => {
  expect(await collections(...shares)).toEqual(expected);
});

test("where V8 does not offer it nothing is done", async () => {
  await collectAtRest({ sleep: () => Promise.reject(new Error("waited")) }, AbortSignal.timeout(1_000), undefined);
});

/** Fills memory with what nobody needs any more, and tells how much is resident before and after a rest, in MB. */
const WORKED = `
  const { collectAtRest } = await import(${JSON.stringify(new URL("./collect-at-rest.ts", import.meta.url).href)});
  const resident = () => process.memoryUsage.rss() / 1e6;
  let kept = new Map();
  for (let n = 0; n < 1_500_000; n += 1) kept.set(n % 200_000, { n, list: [n], text: "x" + n });
  kept = null;
  const before = resident();
  const over = new AbortController();
  const rest = collectAtRest({ sleep: async () => {} }, over.signal, (options) => (globalThis.gc(options), over.abort()), () => 0);
  await rest;
  console.log(JSON.stringify([before, resident()]));
`;

test("what work left behind goes back to the system, and not only to V8", () => {
  const flags = ["--expose-gc", "--max-semi-space-size=16", "--no-warnings", "--input-type=module", "-e", WORKED];
  const [before = 0, after = 0] = JSON.parse(execFileSync(process.execPath, flags, { encoding: "utf8" }));
  expect(before).toBeGreaterThan(120);
  // Node itself takes about half of this.
  expect(after).toBeLessThan(90);
});
