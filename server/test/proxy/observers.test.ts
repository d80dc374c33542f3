import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { Registry } from "prom-client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_TOKENS_PER_WORKSPACE, Presences } from "#proxy/activity/presences.ts";
import { MAX_TERMINAL_EVENTS, TerminalEvents } from "#proxy/activity/terminal-events.ts";
import { ActivityWatch } from "#proxy/activity/watch.ts";
import { createProxyMetrics } from "#proxy/metrics.ts";
import { fallbackReasons } from "./fallbacks.ts";
import { handshake, startVisitor, type Visitor } from "./visitor.ts";
import { channelMessage, frame, hello, hostRequest, message } from "./wire.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const IDE = "/?reconnectionToken=t1&reconnection=false";

interface Told {
  readonly fields: object;
  readonly text: string;
}

/** A watch at a clock of its own, with what it noted and what it said. */
function watchOf(touch: () => void = () => undefined) {
  const said: Told[] = [];
  const time = { now: 1_000_000 };
  const clock = {
    nowMs: () => time.now,
    monotonicMs: () => time.now,
    sleep: async () => undefined,
    giveWay: async () => undefined,
  };
  const tell = (fields: object, text: string) => void said.push({ fields, text });
  const logger = { debug: tell, info: tell, warn: tell, error: tell, child: () => logger };
  const metrics = createProxyMetrics(new Registry());
  let touched = 0;
  const sink = {
    touch: () => {
      touched += 1;
      touch();
    },
  };
  const watch = new ActivityWatch(sink, clock, metrics, logger);
  const reasons = () => fallbackReasons(metrics);
  return { watch, said, time, reasons, touched: () => touched };
}

/** Bytes that stay in memory after all that can go has gone. */
function retained(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

describe("what an observer keeps", () => {
  test("a client that listens to more terminals than there are is forgotten by none, and costs no more", () => {
    const events = new TerminalEvents();
    for (let id = 0; id < MAX_TERMINAL_EVENTS; id += 1) events.listen(id);
    expect(events.has(MAX_TERMINAL_EVENTS - 1)).toBe(true);
    expect(events.has(MAX_TERMINAL_EVENTS)).toBe(false);
    for (let id = 0; id < 10 * MAX_TERMINAL_EVENTS; id += 1) events.listen(id);
    expect(events.size).toBe(MAX_TERMINAL_EVENTS);
    // From here on it is not known any more which events are a terminal's: each may be.
    expect(events.has(9 * MAX_TERMINAL_EVENTS)).toBe(true);
    events.dispose(9 * MAX_TERMINAL_EVENTS);
    expect(events.has(9 * MAX_TERMINAL_EVENTS)).toBe(true);
  });

  test("one whose listeners come and go in any number is understood exactly", () => {
    const events = new TerminalEvents();
    for (let id = 0; id < 10 * MAX_TERMINAL_EVENTS; id += 1) {
      events.listen(id);
      events.dispose(id);
    }
    expect(events.size).toBe(0);
    expect(events.has(5)).toBe(false);
  });

  test("tabs of one workspace push out their own like only, and the memory of a tab is as small as its name", () => {
    const presences = new Presences();
    const quiet = presences.of(ID, "quiet", false, 0);
    quiet.present = false;
    for (let i = 0; i < 10 * MAX_TOKENS_PER_WORKSPACE; i += 1) presences.of("another", `t${i}`, false, i);
    expect(presences.of(ID, "quiet", true, 1)).toBe(quiet);
    expect(presences.size).toBe(MAX_TOKENS_PER_WORKSPACE + 1);
    presences.of("third", "x".repeat(10_000), false, 1);
    expect(presences.size).toBe(MAX_TOKENS_PER_WORKSPACE + 1);
    // Of the tabs of that workspace it is not known any more who was there, so one that comes back is somebody.
    expect(presences.of("another", "t0", true, 99_999)).toMatchObject({ present: true, spoke: false });
    presences.forgetBefore(1_000_000);
    expect(presences.size).toBe(0);
  });

  test("whatever a browser sends, next to nothing stays in memory", () => {
    const { watch } = watchOf();
    const taps = Array.from({ length: 5 }, () => {
      const tap = watch.socket(ID, IDE, true);
      tap.fromClient(frame(hello(1)));
      return tap;
    });
    const before = retained();
    for (const [i, tap] of taps.entries()) {
      const listens: Buffer[] = [];
      for (let id = 0; id < 20_000; id += 1)
        listens.push(channelMessage(102, i * 20_000 + id, "remoteterminal", "$onProcessDataEvent"));
      tap.fromClient(frame(Buffer.concat(listens), { masked: false }));
      // A message that claims a gigabyte, and never comes.
      const claim = message(1);
      claim.writeUInt32BE(1 << 30, 9);
      tap.fromClient(frame(claim));
      tap.fromClient(frame(Buffer.alloc(100_000, 1)));
    }
    for (let i = 0; i < 2_000; i += 1) {
      watch.request(ID, { method: "GET", url: `/${i}/${"long".repeat(2_000)}` } as never);
      watch.socket(ID, `/?reconnectionToken=${i}${"long".repeat(2_000)}&reconnection=true`, true).close();
    }
    expect(retained() - before).toBeLessThan(1_500_000);
    expect(taps).toHaveLength(5);
  });
});

describe("any bytes at all", () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => frame(Buffer.from(bytes))),
    fc
      .tuple(fc.integer({ min: 0, max: 20 }), fc.uint8Array({ maxLength: 300 }))
      .map(([type, bytes]) => frame(message(type, Buffer.from(bytes)))),
    fc
      .tuple(fc.integer({ min: 98, max: 206 }), fc.nat())
      .map(([kind, id]) => frame(channelMessage(kind, id, "remoteterminal", "$onProcessDataEvent"))),
    fc.constantFrom(frame(hello(1)), frame(hello(2)), frame(hostRequest("$onDidChangeWindowActive", [false]))),
    // Heads that claim more than there ever will be.
    fc.constantFrom(Buffer.from("82ffffffffffffffffff01020304", "hex"), Buffer.from("827f7fffffffffffffff", "hex")),
  );

  test("are read without a fault, in every direction and by every reader", () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(fc.tuple(fc.boolean(), piece), { minLength: 1, maxLength: 30 }),
        fc.string({ unit: "binary" }),
        (understood, pieces, token) => {
          const { watch, said, time } = watchOf();
          const tap = watch.socket(ID, `/?reconnectionToken=${token}`, understood);
          for (const [fromClient, bytes] of pieces) {
            time.now += 7_000;
            if (fromClient) tap.fromClient(bytes);
            else tap.fromServer(bytes);
            watch.request(ID, { method: "GET", url: `/${token}` } as never);
            watch.tick();
          }
          tap.close();
          expect(said).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("after bytes that were not understood, in the middle of a frame, what somebody does still counts", async () => {
    const { watch, touched, reasons } = watchOf();
    const tap = watch.socket(ID, IDE, true);
    // What follows the first chunk reads like the head of a frame without end to whoever begins there.
    const endless = Buffer.from("827fffffffffffffffff", "hex");
    const bytes = frame(Buffer.concat([message(77), endless]), { masked: false });
    const cut = bytes.indexOf(endless);
    tap.fromClient(Buffer.concat([frame(message(77)), bytes.subarray(0, cut)]));
    tap.fromClient(bytes.subarray(cut));
    expect(await reasons()).toEqual(["parse"]);
    const before = touched();
    tap.fromClient(frame(Buffer.from("somebody")));
    expect(touched()).toBe(before + 1);
  });
});

describe("an observer that fails", () => {
  const broken = () => {
    throw new Error("nobody thought of this");
  };

  test("is told once a minute with how many were left out, and everything its client sends counts", async () => {
    const { watch, said, time, reasons, touched } = watchOf();
    // Stands for whatever goes wrong in a reader.
    const poison = new Proxy(Buffer.alloc(1), { get: broken });
    const failing = () => {
      const tap = watch.socket(ID, IDE, true);
      expect(() => tap.fromClient(poison)).not.toThrow();
      return tap;
    };
    const tap = failing();
    failing();
    failing();
    expect(said).toHaveLength(1);
    expect(said[0]?.fields).toMatchObject({ error: expect.stringContaining("nobody thought of this"), leftOut: 0 });
    expect(await reasons()).toEqual(["fault"]);
    const before = touched();
    tap.fromClient(frame(message(9)));
    expect(touched()).toBe(before + 1);
    tap.fromServer(poison);
    tap.close();
    time.now += 60_000;
    failing();
    expect(said.map(({ fields }) => fields)).toMatchObject([{ leftOut: 0 }, { leftOut: 2 }]);
  });

  let visitor: Visitor;
  beforeEach(async () => {
    visitor = await startVisitor();
  });
  afterEach(() => visitor.stop());

  test("takes no stream with it, no request and no process", async () => {
    visitor.front.world.touched.push = broken;
    const socket = await visitor.front.socket();
    const headers = { Origin: visitor.origin, Cookie: visitor.cookie };
    socket.write(handshake(visitor.host, headers, IDE));
    await once(socket, "data");
    const sent = Buffer.concat([
      frame(hello(2)),
      frame(hostRequest("$acceptModelChanged", [1])),
      frame(randomBytes(200_000)),
      frame(hostRequest("$acceptModelChanged", [2])),
    ]);
    socket.write(sent);
    const received: Buffer[] = [];
    for await (const chunk of socket) {
      received.push(chunk as Buffer);
      if (Buffer.concat(received).length >= sent.length) break;
    }
    expect(Buffer.concat(received).equals(sent)).toBe(true);
    expect((await visitor.ask({ path: "/page" })).status).toBe(200);
  });
});
