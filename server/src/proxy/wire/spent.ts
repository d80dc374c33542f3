/** Less is not worth the trouble. */
const WORTH_BYTES = 16 * 1024;

/**
 * Gives back the memory of a chunk that has left for good. Each read of a stream has 64 KiB of its own, which would wait
 * for the collector; it wakes for every 64 MiB of them and then looks at everything there is, a third of the work of
 * carrying a stream. Memory that is shared, or that a slow destination still waits to send, is left alone.
 */
export function letGo(chunk: Buffer, sentTo: { readonly writableLength: number }): void {
  const { buffer } = chunk;
  if (chunk.length < WORTH_BYTES || chunk.length !== buffer.byteLength || sentTo.writableLength > 0) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
