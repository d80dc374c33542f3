import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

/**
 * Moves a stream chunk by chunk past an onlooker, waiting whenever the reader is slower. Resolves to false when the
 * reader went away before the end: then its own exit says why.
 */
export async function pump(from: Readable, to: Writable | null, look: (chunk: Buffer) => void): Promise<boolean> {
  let broken = false;
  to?.on("error", () => {
    broken = true;
  });
  for await (const chunk of from as AsyncIterable<Buffer>) {
    look(chunk);
    if (to === null) continue;
    if (!broken && !to.write(chunk)) await writable(to);
    if (broken) return false;
  }
  to?.end();
  return !broken;
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
