import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

/** So much may wait for the reader: on a busy machine both sides then work in long turns instead of many short ones. */
const MAX_WAITING = 2 ** 19;

/**
 * Moves a stream chunk by chunk past an onlooker, waiting whenever the reader is slower. A reader that goes away before
 * the end is asked why: `readerGone` rejects when it failed; when it had just seen enough, the rest is only looked at.
 */
export async function pump(
  from: Readable,
  to: Writable | null,
  look: (chunk: Buffer) => void,
  readerGone: () => Promise<unknown>,
): Promise<void> {
  let reader = to;
  // A program that ended closes its input without an error: only `destroyed` tells both cases. The listener is there
  // because an error that nobody listens to would end this process.
  to?.on("error", () => {});
  for await (const chunk of from as AsyncIterable<Buffer>) {
    look(chunk);
    if (reader === null) continue;
    if (!reader.destroyed) reader.write(chunk);
    if (reader.writableLength > MAX_WAITING) await writable(reader);
    if (!reader.destroyed) continue;
    await readerGone();
    reader = null;
  }
  reader?.end();
}

async function writable(to: Writable): Promise<void> {
  if (to.destroyed) return;
  const over = new AbortController();
  const either = [once(to, "drain", { signal: over.signal }), once(to, "close", { signal: over.signal })];
  // A failed write is told by the "error" listener; here it only ends the waiting.
  await Promise.race(either)
    .catch(() => {})
    .finally(() => {
      for (const promise of either) promise.catch(() => {});
      over.abort();
    });
}
