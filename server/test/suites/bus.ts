import { describe, expect, it } from "vitest";
import type { Bus } from "#ports/bus.ts";

/** Resolves with the first `count` messages; further ones are kept too. */
export function collector(count: number) {
  const messages: string[] = [];
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  const handler = (message: string) => {
    messages.push(message);
    if (messages.length === count) resolve(messages);
  };
  return { handler, messages, done: promise };
}

/** What every bus promises while it is connected. `make` gives a connected one; `other` is a second process. */
export function busSuite(
  name: string,
  make: () => Promise<{ bus: Bus; other: Bus; readonly close: () => Promise<void> }>,
) {
  describe(`bus: ${name}`, () => {
    const using = (test: (bus: Bus, other: Bus) => Promise<void>) => async () => {
      const made = await make();
      try {
        await test(made.bus, made.other);
      } finally {
        await made.close();
      }
    };

    it(
      "delivers every message in order to every subscriber of the channel, also from another process",
      using(async (bus, other) => {
        const first = collector(100);
        const second = collector(100);
        await bus.subscribe("codehub:sse:a", first.handler);
        await bus.subscribe("codehub:sse:a", second.handler);
        const expected = Array.from({ length: 100 }, (_, index) => `message ${index} \u2028 ü \n`);
        for (const message of expected) await other.publish("codehub:sse:a", message);
        expect(await first.done).toEqual(expected);
        expect(await second.done).toEqual(expected);
      }),
    );

    it(
      "matches channels exactly: pattern characters in a name are only characters",
      using(async (bus, other) => {
        const wrong = collector(1);
        const right = collector(1);
        await bus.subscribe("codehub:sse:*", wrong.handler);
        await bus.subscribe("codehub:sse:b?[ab]", wrong.handler);
        await bus.subscribe("codehub:sse:b", right.handler);
        await other.publish("codehub:sse:b", "x");
        expect(await right.done).toEqual(["x"]);
        expect(wrong.messages).toEqual([]);
      }),
    );

    it(
      "gives nothing to a subscription that ended, and everything to the one beside it",
      using(async (bus, other) => {
        const ended = collector(1);
        const kept = collector(2);
        const subscription = await bus.subscribe("c", ended.handler);
        await bus.subscribe("c", kept.handler);
        subscription.end();
        subscription.end();
        await other.publish("c", "1");
        await other.publish("c", "2");
        expect(await kept.done).toEqual(["1", "2"]);
        expect(ended.messages).toEqual([]);
      }),
    );

    it(
      "can subscribe again to a channel whose last subscription ended",
      using(async (bus, other) => {
        (await bus.subscribe("c", () => undefined)).end();
        const again = collector(1);
        await bus.subscribe("c", again.handler);
        await other.publish("c", "x");
        expect(await again.done).toEqual(["x"]);
      }),
    );

    it(
      "says that it is well",
      using(async (bus) => {
        expect(bus.health().ok).toBe(true);
        await expect(bus.publish("nobody", "listens")).resolves.toBeUndefined();
      }),
    );
  });
}
