import type { IncomingMessage } from "node:http";

/** An engine that says more than that in one answer is not the one we know. */
const LIMIT_BYTES = 64 * 1024 * 1024;

/** The text of an answer, once all of it is there. Rejects when it breaks off, is too long, or the signal aborts first. */
export async function wholeAnswer(response: IncomingMessage, signal: AbortSignal, late: Error): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const giveUp = () => response.destroy(late);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > LIMIT_BYTES) throw new Error("its answer is too long");
      chunks.push(chunk);
    }
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
  return Buffer.concat(chunks).toString("utf8");
}
