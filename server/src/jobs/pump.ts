import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

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
  let broken = false;
  to?.on("error", () => {
    broken = true;
  });
  for await (const chunk of from as AsyncIterable<Buffer>) {
    look(chunk);
    if (reader === null) continue;
    if (!broken && !reader.write(chunk)) await writable(reader);
    if (!broken) continue;
    await readerGone();
    reader = null;
  }
  reader?.end();
}

function writable(to: Writable): Promise<unknown> {
  const over = new AbortController();
  const either = [once(to, "drain", { signal: over.signal }), once(to, "close", { signal: over.signal })];
  // A failed write is told by the "error" listener; here it only ends the waiting.
  return Promise.race(either)
    .catch(() => {})
    .finally(() => {
      for (const promise of either) promise.catch(() => {});
      over.abort();
    });
}
