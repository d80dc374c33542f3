import fc from "fast-check";
import { Registry } from "prom-client";
import { beforeEach, describe, expect, test } from "vitest";
import { ActivityWatch } from "#proxy/activity/watch.ts";
import { createProxyMetrics, type ProxyMetrics } from "#proxy/metrics.ts";
import type { Tap } from "#proxy/wire/splice.ts";
import { fallbackReasons } from "./fallbacks.ts";
import { SILENT } from "./harness.ts";
import { channelMessage, frame, hello, hostRequest, KEEP_ALIVE, message } from "./wire.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const URL_NEW = "/?reconnectionToken=t1&reconnection=false&skipWebSocketFrames=false";
const URL_AGAIN = "/?reconnectionToken=t1&reconnection=true&skipWebSocketFrames=false";

let now: number;
let touched: number;
let watch: ActivityWatch;
let metrics: ProxyMetrics;

beforeEach(() => {
  now = 1_000_000;
  touched = 0;
  metrics = createProxyMetrics(new Registry());
  const clock = {
    nowMs: () => now,
    monotonicMs: () => now,
    sleep: async () => undefined,
    giveWay: async () => undefined,
  };
  const touch = () => {
    touched += 1;
  };
  watch = new ActivityWatch({ touch }, clock, metrics, SILENT);
});

function open(type: 1 | 2, url = URL_NEW): Tap {
  const tap = watch.socket(ID, url, true);
  tap.fromClient(frame(hello(type)));
  return tap;
}
/** What happened since the last look. */
function active(): boolean {
  const some = touched > 0;
  touched = 0;
  return some;
}
/** Minutes of a tab that nobody touches: keep-alives every 5 s, telemetry every 70 s, and the watch's own tick. */
function idle(tap: Tap, minutes: number): boolean {
  for (let t = 0; t < minutes * 60; t += 5) {
    now += 5_000;
    tap.fromClient(frame(message(KEEP_ALIVE)));
    tap.fromServer(frame(message(KEEP_ALIVE), { masked: false }));
    if (t % 70 === 0) tap.fromClient(frame(hostRequest("$telemetryPing", ["x".repeat(t % 50)])));
    if (t % 10 === 0) watch.tick();
  }
  return active();
}
const fallbacks = () => fallbackReasons(metrics);

describe("the extension host's connection", () => {
  test("a new window counts as somebody until it says otherwise, then keep-alives and telemetry do not count", () => {
    const tap = open(2);
    expect(idle(tap, 1)).toBe(true);
    tap.fromClient(frame(hostRequest("$onDidChangeWindowActive", [false])));
    active();
    expect(idle(tap, 10)).toBe(false);
    tap.fromClient(frame(hostRequest("$onDidChangeWindowActive", [true])));
    expect(active()).toBe(true);
    expect(idle(tap, 3)).toBe(true);
  });

  test.each(["$acceptModelChanged", "$acceptEditorPropertiesChanged", "$provideHover", "$provideCompletionItems"])(
    "%s is somebody's doing",
    (method) => {
      const tap = open(2);
      tap.fromClient(frame(hostRequest("$onDidChangeWindowActive", [false])));
      active();
      tap.fromClient(frame(hostRequest(method, [{ text: "x".repeat(5_000) }])));
      expect(active()).toBe(true);
    },
  );

  test.each(["$onDidTunnelsChange", "$onFoundNewCandidates", "$onFileEvent", "$logExtensionHostMessage"])(
    "%s is not",
    (method) => {
      const tap = open(2);
      tap.fromClient(frame(hostRequest("$onDidChangeWindowActive", [false])));
      active();
      tap.fromClient(frame(hostRequest(method, [1])));
      expect(active()).toBe(false);
    },
  );

  test("a reconnect is not activity and keeps what the tab was", () => {
    const tap = open(2);
    tap.fromClient(frame(hostRequest("$onDidChangeWindowActive", [false])));
    tap.close();
    active();
    const again = open(2, URL_AGAIN);
    expect(idle(again, 5)).toBe(false);
  });

  test("a reconnect that nobody remembers is taken for an idle one", () => {
    expect(idle(open(2, URL_AGAIN), 10)).toBe(false);
  });

  test("a window that is held active for hours by something else stops counting", () => {
    const tap = open(2);
    tap.fromClient(frame(hostRequest("$onDidChangeWindowActive", [true])));
    expect(idle(tap, 50)).toBe(true);
    idle(tap, 15);
    expect(idle(tap, 5)).toBe(false);
  });

  test("a connection that has gone silent does not count, whatever it said last", () => {
    open(2).fromClient(frame(hostRequest("$onDidChangeWindowActive", [true])));
    active();
    now += 140_000;
    watch.tick();
    expect(active()).toBe(false);
  });

  test("one that never speaks of presence is judged by the general rule, and that is counted", async () => {
    const tap = open(2);
    idle(tap, 6);
    expect(await fallbacks()).toEqual(["no_presence"]);
    active();
    tap.fromClient(frame(hostRequest("$somethingNew", ["a person did it"])));
    expect(active()).toBe(true);
  });

  test("somebody who works without a pause is not taken for a changed protocol", async () => {
    const tap = open(2);
    for (let minute = 0; minute < 10; minute += 1) {
      tap.fromClient(frame(hostRequest("$acceptModelChanged", [minute])));
      idle(tap, 1);
    }
    expect(await fallbacks()).toEqual([]);
  });
});

describe("the management connection", () => {
  test("a key in the terminal and what the terminal prints count; other events do not", () => {
    const tap = open(1);
    active();
    tap.fromClient(frame(channelMessage(102, 300, "remoteterminal", "$onProcessDataEvent")));
    tap.fromClient(frame(channelMessage(102, 301, "remotefilesystem", "fileChange")));
    expect(active()).toBe(false);
    tap.fromServer(frame(channelMessage(204, 301), { masked: false }));
    expect(active()).toBe(false);
    tap.fromServer(frame(channelMessage(204, 300), { masked: false }));
    expect(active()).toBe(true);
    tap.fromClient(frame(channelMessage(100, 302, "remoteterminal", "$input")));
    expect(active()).toBe(true);
    tap.fromClient(frame(channelMessage(100, 303, "remotefilesystem", "writeFile")));
    expect(active()).toBe(false);
    tap.fromClient(frame(channelMessage(103, 300)));
    tap.fromServer(frame(channelMessage(204, 300), { masked: false }));
    expect(active()).toBe(false);
  });

  test("what a terminal prints counts after a reconnect too: a window listens once, and does not say it again", () => {
    const tap = open(1);
    tap.fromClient(frame(channelMessage(102, 300, "remoteterminal", "$onProcessDataEvent")));
    // Longer than a tab that has gone is remembered.
    idle(tap, 20);
    tap.close();
    active();
    const again = open(1, URL_AGAIN);
    again.fromServer(frame(channelMessage(204, 301), { masked: false }));
    expect(active()).toBe(false);
    again.fromServer(frame(channelMessage(204, 300), { masked: false }));
    expect(active()).toBe(true);
  });
});

describe("the stream", () => {
  test("may be cut anywhere: in heads, in masks, in messages, over frames and fragments", () => {
    const messages = [
      hello(2),
      message(KEEP_ALIVE),
      hostRequest("$onDidChangeWindowActive", [false]),
      message(1, Buffer.alloc(80_000, 7)),
      hostRequest("$acceptModelChanged", [1]),
    ];
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 2, max: 70_000 }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 8 }),
        (frameSizes, chunkSizes) => {
          const bytes = frames(Buffer.concat(messages), frameSizes);
          touched = 0;
          const tap = watch.socket(ID, URL_NEW, true);
          let at = 0;
          for (let i = 0; at < bytes.length; i += 1) {
            const size = chunkSizes[i % chunkSizes.length] ?? 1;
            tap.fromClient(bytes.subarray(at, at + size));
            at += size;
          }
          expect(touched).toBe(1);
        },
      ),
      { numRuns: 40 },
    );
  });

  /** The same bytes in frames of these sizes, some of them fragments of one message, with a ping in between. */
  function frames(stream: Buffer, sizes: readonly number[]): Buffer {
    const out: Buffer[] = [];
    let at = 0;
    for (let i = 0; at < stream.length; i += 1) {
      const part = stream.subarray(at, at + (sizes[i % sizes.length] ?? 1));
      at += part.length;
      const half = Math.floor(part.length / 2);
      if (i % 2 === 0 || half === 0) out.push(frame(part));
      else
        out.push(
          frame(part.subarray(0, half), { fin: false }),
          frame(Buffer.from("ping"), { opcode: 9 }),
          frame(part.subarray(half), { opcode: 0 }),
        );
    }
    return Buffer.concat(out);
  }

  test.each([
    ["compressed", frame(message(1), { compressed: true })],
    ["text", frame(Buffer.from("{}"), { opcode: 1 })],
    ["of another shape", frame(Buffer.alloc(64, 0xee))],
    ["not WebSocket at all", Buffer.alloc(64, 0x7f)],
  ])("that is %s falls back to the general rule and is counted", async (_name, bytes) => {
    const tap = watch.socket(ID, URL_NEW, true);
    tap.fromClient(bytes);
    tap.fromClient(frame(Buffer.from("again")));
    expect(await fallbacks()).toEqual(["parse"]);
    active();
    tap.fromClient(frame(Buffer.from("somebody")));
    expect(active()).toBe(true);
  });
});

describe("everything else", () => {
  test("a program's WebSocket: what comes at a fixed period and length is a heartbeat, the rest is somebody", () => {
    const tap = watch.socket(ID, "/ws", false);
    for (let i = 0; i < 4; i += 1) {
      now += 10_000;
      tap.fromClient(frame(Buffer.from("heartbeat")));
    }
    active();
    for (let i = 0; i < 20; i += 1) {
      now += 10_000;
      tap.fromClient(frame(Buffer.from("heartbeat")));
      tap.fromClient(frame(Buffer.alloc(0), { opcode: 9 }));
      tap.fromServer(frame(Buffer.from(`news ${i}`), { masked: false }));
    }
    expect(active()).toBe(false);
    now += 3_000;
    tap.fromClient(frame(Buffer.from("clicked")));
    expect(active()).toBe(true);
  });

  test("requests count, polling does not, and what is unsure counts", () => {
    const get = (url: string, method = "GET") => watch.request(ID, { url, method } as never);
    get("/page");
    expect(active()).toBe(true);
    for (let i = 0; i < 3; i += 1) {
      now += 5_000;
      get(`/poll?t=${i}`);
    }
    active();
    for (let i = 0; i < 50; i += 1) {
      now += 5_000 + (i % 3) * 100;
      get(`/poll?t=${i}`);
    }
    expect(active()).toBe(false);
    for (const wait of [1_000, 9_000, 2_500, 40_000]) {
      now += wait;
      get("/page");
      expect(active()).toBe(true);
    }
    now += 5_000;
    get("/save", "POST");
    now += 5_000;
    get("/save", "POST");
    now += 5_000;
    get("/save", "POST");
    expect(touched).toBe(3);
  });
});
