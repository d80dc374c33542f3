import { beforeEach, expect, it } from "vitest";
import { EventWords } from "./event-words.ts";
import type { ClusterEvent } from "./objects.ts";
import type { PodId } from "./pods.ts";

const pods = Array.from({ length: 50 }, (_, index): PodId => ({ name: `ws-${index}`, uid: `uid-${index}` }));
const event = (message: string): ClusterEvent => ({ reason: "FailedMount", message }) as ClusterEvent;

let now = 0;
let asked: { id: PodId; answer: PromiseWithResolvers<ClusterEvent | null> }[] = [];
let waiting: (() => Promise<ClusterEvent | null>)[] = [];

beforeEach(() => {
  now = 0;
  asked = [];
  const ask = (id: PodId): Promise<ClusterEvent | null> => {
    const answer = Promise.withResolvers<ClusterEvent | null>();
    asked.push({ id, answer });
    return answer.promise;
  };
  const words = new EventWords(ask, () => now);
  waiting = pods.map((id) => words.of(id));
});

/** Everybody who waits looks once. */
const all = () => Promise.all(waiting.map((look) => look()));

it("asks nothing of a start that goes well", async () => {
  now = 2_999;
  await all();
  expect(asked).toHaveLength(0);
});

it("asks one question at a time, however many wait", async () => {
  now = 3_000;
  const looking = all();
  expect(asked.map(({ id }) => id)).toEqual([pods[0]]);
  asked[0]?.answer.resolve(event("no such disk"));
  const [first, ...others] = await looking;
  expect(first).toEqual(event("no such disk"));
  expect(others.every((one) => one === null)).toBe(true);
});

it("leaves a cluster alone for four times as long as it took for an answer", async () => {
  now = 3_000;
  const looking = all();
  now = 4_000;
  asked[0]?.answer.resolve(null);
  await looking;
  now = 7_999;
  await all();
  expect(asked).toHaveLength(1);
  now = 8_000;
  void all();
  expect(asked).toHaveLength(2);
});

it("leaves it alone for half a minute when it gave none, and goes on with what was said before", async () => {
  now = 3_000;
  const looking = all();
  asked[0]?.answer.resolve(event("no such disk"));
  await looking;
  now = 10_000;
  const again = all();
  asked[1]?.answer.reject(new Error("it does not answer in time"));
  expect((await again)[0]).toEqual(event("no such disk"));
  now = 39_999;
  await all();
  expect(asked).toHaveLength(2);
  now = 40_000;
  void all();
  expect(asked).toHaveLength(3);
});

it("does not ask for the same pod again at once", async () => {
  now = 3_000;
  const look = waiting[0] ?? (async () => null);
  const first = look();
  asked[0]?.answer.resolve(null);
  await first;
  now = 7_499;
  await look();
  expect(asked).toHaveLength(1);
  now = 7_500;
  void look();
  expect(asked).toHaveLength(2);
});
