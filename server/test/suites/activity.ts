import { describe, expect, it } from "vitest";
import type { ActivityBuffer } from "#ports/activity.ts";

const at = (workspaceId: string, time: number) => ({ workspaceId, at: time });

/** What every activity buffer promises. */
export function activitySuite(
  name: string,
  make: () => Promise<{ buffer: ActivityBuffer; close: () => Promise<void> }>,
) {
  describe(`activity buffer: ${name}`, () => {
    const using = (test: (buffer: ActivityBuffer) => Promise<void>) => async () => {
      const made = await make();
      try {
        await test(made.buffer);
      } finally {
        await made.close();
      }
    };

    it(
      "keeps the newest time, whatever order flushes arrive in",
      using(async (buffer) => {
        const now = 1_800_000_000_123;
        await buffer.record("p1", now, [at("a", now), at("b", now - 5)]);
        await buffer.record("p2", now, [at("a", now - 1000), at("b", now + 7)]);
        expect(await buffer.read(10)).toEqual([at("a", now), at("b", now + 7)]);
      }),
    );

    it(
      "reads the oldest first, up to the limit",
      using(async (buffer) => {
        await buffer.record("p", 1, [at("c", 30), at("a", 10), at("b", 20)]);
        expect(await buffer.read(2)).toEqual([at("a", 10), at("b", 20)]);
      }),
    );

    it(
      "does not remove what became newer after it was read",
      using(async (buffer) => {
        await buffer.record("p", 1, [at("a", 10), at("b", 20)]);
        const read = await buffer.read(10);
        await buffer.record("p", 2, [at("b", 21)]);
        expect(await buffer.removeUnchanged(read)).toBe(1);
        expect(await buffer.read(10)).toEqual([at("b", 21)]);
        expect(await buffer.removeUnchanged([])).toBe(0);
      }),
    );

    it(
      "remembers when each source last flushed, also without entries, until it is forgotten",
      using(async (buffer) => {
        await buffer.record("p1", 100, []);
        await buffer.record("p1", 90, []);
        await buffer.record("p2", 50, []);
        const sorted = [...(await buffer.sources())].sort((a, b) => a.source.localeCompare(b.source));
        expect(sorted).toEqual([
          { source: "p1", flushedAt: 100 },
          { source: "p2", flushedAt: 50 },
        ]);
        await buffer.forget("p1");
        expect(await buffer.sources()).toEqual([{ source: "p2", flushedAt: 50 }]);
      }),
    );

    it(
      "forgets sources that were silent for too long, and knows one again that flushes late",
      using(async (buffer) => {
        await buffer.record("dead", 100, [at("a", 90)]);
        await buffer.record("late", 200, []);
        await buffer.record("alive", 300, []);
        await buffer.forgetSilent(201);
        expect(await buffer.sources()).toEqual([{ source: "alive", flushedAt: 300 }]);
        // What a forgotten source has left behind still counts, and so does what it brings later.
        await buffer.record("late", 301, [at("b", 210)]);
        expect(await buffer.read(10)).toEqual([at("a", 90), at("b", 210)]);
        expect((await buffer.sources()).map(({ source }) => source).sort()).toEqual(["alive", "late"]);
        await buffer.forgetSilent(300);
        expect(await buffer.sources()).toHaveLength(2);
      }),
    );
  });
}
