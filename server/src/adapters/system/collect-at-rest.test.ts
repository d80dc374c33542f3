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
