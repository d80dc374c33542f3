import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { MemoryBus } from "#adapters/memory/bus.ts";
import { EventHub } from "#events/hub.ts";
import type { Clock } from "#ports/clock.ts";
import { DEFAULT_CHANNELS } from "../fixtures/settings.ts";

/** Time that passes only when the test says so. */
class ManualClock implements Clock {
  #now = 0;
  #sleepers: { at: number; wake: () => void }[] = [];
  nowMs = () => this.#now;
  monotonicMs = () => this.#now;
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#sleepers.push({ at: this.#now + ms, wake: resolve });
      signal?.addEventListener("abort", () => resolve());
    });
  }
  giveWay = async (): Promise<void> => {};
  async pass(ms: number): Promise<void> {
    this.#now += ms;
    const due = this.#sleepers.filter(({ at }) => at <= this.#now);
    this.#sleepers = this.#sleepers.filter(({ at }) => at > this.#now);
    for (const { wake } of due) wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

class Sink extends EventEmitter {
  destroyed = false;
  text = "";
  writableLength = 0;
  write(chunk: string): boolean {
    this.text += chunk;
    return true;
  }
  end(): void {
    this.emit("close");
  }
  destroy(): void {
    this.emit("close");
  }
}

const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };

function hubWith(alive: () => ReadonlySet<string>) {
  const clock = new ManualClock();
  const hub = new EventHub({
    bus: new MemoryBus(),
    channels: DEFAULT_CHANNELS,
    views: { summariesOf: async () => [], ofOwner: async () => [] },
    sessions: { alive: async () => alive() },
    tokens: { alive: async () => new Set<string>() },
    present: () => {
      throw new Error("there is nothing to present");
    },
    clock,
    logger: quiet,
    count: () => undefined,
  });
  return { hub, clock };
}

describe("the hub's own rhythm", () => {
  it("sends a heartbeat every 30 s and none before", async () => {
    const { hub, clock } = hubWith(() => new Set(["s"]));
    const sink = new Sink();
    await hub.connect({ userId: "u", credentialId: "s", via: "cookie" }, sink);
    await clock.pass(29_999);
    expect(sink.text).not.toContain("heartbeat");
    await clock.pass(1);
    expect(sink.text.match(/event: heartbeat\ndata: \{\}\n\n/g)).toHaveLength(1);
    await clock.pass(30_000);
    expect(sink.text.match(/event: heartbeat/g)).toHaveLength(2);
    await hub.close();
  });

  it("ends a stream whose session is gone within ten seconds, and forgets it", async () => {
    let live = new Set(["s"]);
    const { hub, clock } = hubWith(() => live);
    const sink = new Sink();
    await hub.connect({ userId: "u", credentialId: "s", via: "cookie" }, sink);
    await clock.pass(5_000);
    expect(hub.clientCount).toBe(1);
    live = new Set();
    await clock.pass(5_000);
    await clock.pass(4_000);
    expect(hub.clientCount).toBe(0);
    await hub.close();
  });
});
