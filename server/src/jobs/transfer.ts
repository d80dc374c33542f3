import { createHash } from "node:crypto";
import { Readable, Transform, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { OperationFailure } from "#ports/failure.ts";

/**
 * A job's archive as the body of an upload that ends only when the job has said that this was all. A killed job closes
 * its stream exactly as a finished one does; without this an upload would be completed with half a home in it.
 */
export function bodyOf(output: Readable, saidAll: Promise<unknown>): Readable {
  const gate = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, chunk),
    flush: (done) => {
      saidAll.then(
        () => done(),
        (error: Error) => done(error),
      );
    },
  });
  // A failed job must also end an upload that is waiting for more bytes.
  saidAll.catch((error: Error) => gate.destroy(error));
  pipeline(output, gate).catch(() => {});
  return gate;
}

/**
 * Feeds an object to a job and checks its checksum on the way. The last bytes are held back until the sum is known: a
 * job never sees the end of an object that is not the recorded one.
 */
export async function feed(
  source: { body: Readable; sizeBytes: number },
  expected: { sha256: string; sizeBytes: number },
  input: Writable,
): Promise<void> {
  if (source.sizeBytes !== expected.sizeBytes) {
    source.body.destroy();
    throw corrupted(`the object has ${source.sizeBytes} bytes, ${expected.sizeBytes} were recorded`);
  }
  const hash = createHash("sha256");
  async function* checked(): AsyncGenerator<Buffer> {
    let held: Buffer | null = null;
    let size = 0;
    for await (const chunk of source.body as AsyncIterable<Buffer>) {
      if (held !== null) yield held;
      held = chunk;
      hash.update(chunk);
      size += chunk.length;
    }
    const sha256 = hash.digest("hex");
    if (size !== expected.sizeBytes || sha256 !== expected.sha256) {
      throw corrupted(`its checksum is ${sha256} over ${size} bytes, ${expected.sha256} was recorded`);
    }
    if (held !== null) yield held;
  }
  try {
    await pipeline(Readable.from(checked(), { objectMode: false, highWaterMark: 2 ** 18 }), input);
  } finally {
    source.body.destroy();
  }
}

export function corrupted(message: string): OperationFailure {
  return new OperationFailure("ArchiveCorrupted", `the archive is damaged: ${message}`);
}
