import fc from "fast-check";
import { expect, test } from "vitest";
import { DueQueue } from "./queue.ts";

const nobody = (): boolean => false;

test("news go before what was only found, and one of four is the longest waiting whatever comes", () => {
  const queue = new DueQueue();
  for (const id of ["found 1", "found 2"]) queue.add(id, 1);
  for (const id of ["news 1", "news 2", "news 3", "news 4", "news 5"]) queue.add(id, 2, "first");
  expect(queue.take(2, 4, nobody)).toEqual(["news 1", "news 2", "news 3", "found 1"]);
  expect(queue.take(2, 4, nobody)).toEqual(["news 4", "news 5", "found 2"]);
  expect(queue.size).toBe(0);
});

test("what was found and then had news keeps its time and goes first", () => {
  const queue = new DueQueue();
  queue.add("a", 5);
  queue.add("b", 1);
  queue.add("a", 9, "first");
  expect(queue.take(4, 1, nobody)).toEqual(["b"]);
  expect(queue.nextAt(nobody)).toBe(5);
  queue.add("c", 2);
  expect(queue.take(5, 1, nobody)).toEqual(["a"]);
});

test("leaves what is being looked at, and what is not due", () => {
  const queue = new DueQueue();
  queue.add("busy", 1, "first");
  queue.add("later", 7, "first");
  expect(queue.take(2, 9, (id) => id === "busy")).toEqual([]);
  expect(queue.nextAt((id) => id === "busy")).toBe(7);
});

test("is as fair to whoever takes one at a time", () => {
  const queue = new DueQueue();
  queue.add("found", 1);
  const taken: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    queue.add(`news ${turn}`, 2, "first");
    taken.push(...queue.take(2, 1, nobody));
  }
  expect(taken).toEqual(["news 0", "news 1", "news 2", "found"]);
});

test("taking one of ten thousand asks about that one and not about all of them", () => {
  const queue = new DueQueue();
  for (let index = 0; index < 10_000; index += 1)
    queue.add(`w${index}`, index % 7, index % 3 === 0 ? "first" : "found");
  let asked = 0;
  const busy = (): boolean => {
    asked += 1;
    return false;
  };
  const taken = new Set<string>();
  for (let turn = 0; turn < 10_000; turn += 1) {
    for (const id of queue.take(7, 1, busy)) taken.add(id);
    queue.nextAt(busy);
  }
  expect(taken.size).toBe(10_000);
  expect(asked).toBeLessThanOrEqual(20_000);
});

test("gives what is due in the same order as a walk through all of it would, whatever was added and moved before", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(30), fc.nat(20), fc.boolean()), { maxLength: 300 }), (adds) => {
      const queue = new DueQueue();
      const times = new Map<string, number>();
      for (const [id, at, isNews] of adds) {
        queue.add(`w${id}`, at, isNews ? "first" : "found");
        times.set(`w${id}`, Math.min(at, times.get(`w${id}`) ?? at));
      }
      expect(queue.size).toBe(times.size);
      for (let now = 0; now <= 20; now += 1) {
        expect(queue.nextAt(nobody)).toBe(Math.min(Number.POSITIVE_INFINITY, ...times.values()));
        const due = [...times].filter(([, at]) => at <= now).map(([id]) => id);
        expect(new Set(queue.take(now, 100, nobody))).toEqual(new Set(due));
        for (const id of due) times.delete(id);
      }
      expect(queue.size).toBe(0);
    }),
  );
});
