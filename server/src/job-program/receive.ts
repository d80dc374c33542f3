import { createHash } from "node:crypto";
import { closeSync, write } from "node:fs";
import { promisify } from "node:util";
import { exchange, patiently, request, SILENCE_MS } from "./exchange.ts";
import { JobFailure, type ObjectFacts } from "./protocol.ts";

const writeSome = promisify(write);

/**
 * Reads an object from its address into a pipe and holds it to what was recorded. The last bytes are kept back until the
 * checksum is known: whoever reads the pipe never sees the end of an object that is not the recorded one. A connection
 * that breaks is taken up where it broke, of the same object. Resolves early when nobody reads the pipe any more.
 */
export async function receive(
  address: string,
  ca: string | null,
  expected: ObjectFacts,
  pipe: number,
  silenceMs: number = SILENCE_MS,
): Promise<void> {
  const hash = createHash("sha256");
  let size = 0;
  let held: Buffer = Buffer.alloc(0);
  let tag: string | undefined;
  const take = async (): Promise<void> => {
    const headers = { ...(size > 0 && { range: `bytes=${size}-` }), ...(tag !== undefined && { "if-match": tag }) };
    const response = await request(address, { method: "GET", headers, ca });
    tag ??= response.headers.etag;
    if (size > 0 && response.statusCode !== 206) throw new JobFailure("Unreachable", "the store began again");
    const length = response.headers["content-length"];
    const isOther = (bytes: number): JobFailure =>
      corrupted(`the object has ${bytes} bytes, ${expected.sizeBytes} were recorded`);
    // Known at once where the store says how much it sends; a gateway in between may not, and then it is counted.
    if (length !== undefined && size + Number(length) !== expected.sizeBytes) throw isOther(size + Number(length));
    for await (const chunk of patiently(response, silenceMs)) {
      hash.update(chunk);
      size += chunk.length;
      if (size > expected.sizeBytes) throw isOther(size);
      const before = held;
      held = chunk;
      await writeAll(pipe, before);
    }
    if (size < expected.sizeBytes) throw new Error("the connection ended too early");
  };
  try {
    await exchange("reading the archive", take, () => size);
    const sha256 = hash.digest("hex");
    if (sha256 !== expected.sha256) throw corrupted(`its checksum is ${sha256}, ${expected.sha256} was recorded`);
    await writeAll(pipe, held);
  } catch (error) {
    // It has stopped reading, and says itself why.
    if (!(error instanceof NobodyReads)) throw error;
  } finally {
    closeSync(pipe);
  }
}

/** No fault of the store: not asked for again. */
class NobodyReads extends JobFailure {
  constructor(cause: unknown) {
    super("ActionFailed", "nobody reads the archive any more", { cause });
  }
}

async function writeAll(pipe: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    try {
      const { bytesWritten } = await writeSome(pipe, bytes, at, bytes.length - at);
      at += bytesWritten;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EPIPE") throw new NobodyReads(error);
      throw error;
    }
  }
}

function corrupted(message: string): JobFailure {
  return new JobFailure("ArchiveCorrupted", `the archive is damaged: ${message}`);
}
