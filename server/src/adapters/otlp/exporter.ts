import type { Clock } from "#ports/clock.ts";
import type { Logger } from "#ports/logger.ts";
import type { Span, Tracer } from "#ports/tracer.ts";
import { encodeTraces, type Resource } from "./encode.ts";

export interface ExporterOptions {
  /** With `/v1/traces` at its end. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Resource;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Together, so that a burst is one request; late by no more than a person waits for the next look. */
const EVERY_MS = 1_000;
const AT_ONCE = 512;
/** A collector that is away costs spans and no more memory than these. */
const MOST = 4_096;
const PATIENCE_MS = 5_000;
const TRIES = 3;
/** What the specification calls worth another try. */
const TRANSIENT: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** How often a collector that does not take anything is spoken of. */
const COMPLAIN_EVERY_MS = 60_000;

/** Sends spans to an OpenTelemetry collector, later and in batches. Nothing waits for it and nothing fails because of it. */
export class OtlpExporter implements Tracer {
  readonly #options: ExporterOptions;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #waiting: Span[] = [];
  #dropped = 0;
  #complainedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  record(span: Span): void {
    if (this.#waiting.length >= MOST) this.#dropped += 1;
    else this.#waiting.push(span);
  }

  /** What is waiting is sent once more; a collector that does not answer keeps nobody from ending. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#closing.signal.aborted) {
      await clock.sleep(EVERY_MS, this.#closing.signal);
      while (this.#waiting.length > 0) {
        const isTaken = await this.#send(this.#waiting.splice(0, AT_ONCE));
        if (!isTaken && this.#closing.signal.aborted) return;
      }
    }
  }

  async #send(spans: readonly Span[]): Promise<boolean> {
    const { url, headers, resource, clock } = this.#options;
    const body = encodeTraces(resource, spans);
    let said = "";
    for (let tried = 0; tried < TRIES; tried += 1) {
      // Whoever is about to end tries once.
      if (tried > 0 && this.#closing.signal.aborted) break;
      if (tried > 0) await clock.sleep(EVERY_MS * 2 ** tried, this.#closing.signal);
      try {
        const answer = await fetch(url, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body,
          signal: AbortSignal.timeout(PATIENCE_MS),
        });
        await answer.body?.cancel();
        if (answer.ok) return true;
        said = `status ${answer.status}`;
        if (!TRANSIENT.has(answer.status)) break;
      } catch (error) {
        said = error instanceof Error ? error.name : "error";
      }
    }
    this.#dropped += spans.length;
    this.#complain(said);
    return false;
  }

  #complain(said: string): void {
    const { clock, logger } = this.#options;
    if (clock.monotonicMs() - this.#complainedAt < COMPLAIN_EVERY_MS) return;
    this.#complainedAt = clock.monotonicMs();
    logger.warn({ dropped: this.#dropped, said }, "traces are not taken by the collector and are dropped");
  }
}
