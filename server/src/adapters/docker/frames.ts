import { PassThrough, type Readable } from "node:stream";

const HEADER_BYTES = 8;
const STDERR = 2;

/**
 * Takes apart what a container without a terminal writes: frames of eight bytes (stream, three zeros, length) and
 * content. A reader that is slow with one of the two holds both up, so that no memory fills; one that destroys its
 * stream gives up on it and holds nothing up any more.
 *
 * While the connection is held up, an engine (seen with 20.10) answers no question about the container and does not end
 * it either. Whoever wants it ended calls `discard` first: what was not read of stdout by then is thrown away, and the
 * stream ends as that of any killed program does.
 */
export function splitFrames(source: Readable): { stdout: Readable; stderr: Readable; discard: () => void } {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const discarded = new AbortController();
  // A reader of one of them hears of a cut; the other may have no reader.
  for (const stream of [stdout, stderr]) stream.on("error", () => {});
  copyFrames(source, stdout, stderr, discarded.signal).then(
    () => {
      stdout.end();
      stderr.end();
    },
    (error: Error) => {
      stdout.destroy(error);
      stderr.destroy(error);
    },
  );
  return { stdout, stderr, discard: () => discarded.abort() };
}

async function copyFrames(
  source: Readable,
  stdout: PassThrough,
  stderr: PassThrough,
  discarded: AbortSignal,
): Promise<void> {
  let header = Buffer.alloc(0);
  let left = 0;
  let target = stdout;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    let offset = 0;
    while (offset < chunk.length) {
      if (left === 0) {
        const part = chunk.subarray(offset, offset + HEADER_BYTES - header.length);
        header = Buffer.concat([header, part]);
        offset += part.length;
        if (header.length < HEADER_BYTES) break;
        target = header[0] === STDERR ? stderr : stdout;
        left = header.readUInt32BE(4);
        header = Buffer.alloc(0);
      } else {
        const part = chunk.subarray(offset, offset + left);
        offset += part.length;
        left -= part.length;
        if (target === stderr || !discarded.aborted) await write(target, part, discarded);
      }
    }
  }
  if (left > 0 || header.length > 0) throw new Error("the container's output ended in the middle of a frame");
}

function write(target: PassThrough, part: Buffer, discarded: AbortSignal): Promise<void> | undefined {
  if (target.destroyed || target.write(part)) return undefined;
  return new Promise((resolve) => {
    const go = () => {
      target.off("drain", go);
      target.off("close", go);
      discarded.removeEventListener("abort", go);
      resolve();
    };
    target.once("drain", go);
    target.once("close", go);
    discarded.addEventListener("abort", go, { once: true });
  });
}
