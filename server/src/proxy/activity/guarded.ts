import type { Clock } from "#ports/clock.ts";
import type { Logger } from "#ports/logger.ts";
import type { ProxyMetrics } from "#proxy/metrics.ts";
import type { Tap } from "#proxy/wire/splice.ts";

/** Watches a stream for signs of a person. */
export interface Observer extends Tap {
  /** Called every few seconds, for what shows by the passing of time. */
  readonly tick: () => void;
}

const TELL_EVERY_MS = 60_000;

/** Faults of observers are ours, and whoever causes them may cause a million: each is counted, one a minute is told. */
export class Faults {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: Pick<ProxyMetrics, "activityFallbacks">;
  #toldAt = Number.NEGATIVE_INFINITY;
  #leftOut = 0;

  constructor(clock: Clock, logger: Logger, metrics: Pick<ProxyMetrics, "activityFallbacks">) {
    this.#clock = clock;
    this.#logger = logger;
    this.#metrics = metrics;
  }

  note(error: unknown): void {
    this.#metrics.activityFallbacks.inc({ reason: "fault" });
    const now = this.#clock.monotonicMs();
    if (now - this.#toldAt < TELL_EVERY_MS) {
      this.#leftOut += 1;
      return;
    }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#logger.error({ error: text, leftOut: this.#leftOut }, "activity could not be observed and is assumed");
    this.#toldAt = now;
    this.#leftOut = 0;
  }
}

/**
 * An observer that can do no harm: whatever it throws ends the observation and nothing else. From then on everything the
 * client sends counts. The rule for unknown programs would judge better, but it begins at the beginning of a stream and
 * may be what failed; a workspace that stays awake for an open tab costs less than one that falls asleep under a person.
 */
export class Guarded implements Observer {
  readonly #faults: Faults;
  readonly #touch: () => void;
  #observer: Observer;

  constructor(make: () => Observer, faults: Faults, touch: () => void) {
    this.#faults = faults;
    this.#touch = touch;
    this.#observer = everything(touch);
    try {
      this.#observer = make();
    } catch (error) {
      this.#stop(error);
    }
  }

  fromClient(chunk: Buffer): void {
    try {
      this.#observer.fromClient(chunk);
    } catch (error) {
      this.#stop(error);
    }
  }

  fromServer(chunk: Buffer): void {
    try {
      this.#observer.fromServer(chunk);
    } catch (error) {
      this.#stop(error);
    }
  }

  tick(): void {
    try {
      this.#observer.tick();
    } catch (error) {
      this.#stop(error);
    }
  }

  close(): void {
    try {
      this.#observer.close();
    } catch (error) {
      this.#stop(error);
    }
  }

  #stop(error: unknown): void {
    this.#observer = everything(this.#touch);
    this.#faults.note(error);
    this.#touch();
  }
}

const nothing = (): void => undefined;
const everything = (touch: () => void): Observer => ({
  fromClient: touch,
  fromServer: nothing,
  tick: nothing,
  close: nothing,
});
