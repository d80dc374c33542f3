import { createHash } from "node:crypto";
import { fstatSync, read } from "node:fs";
import { promisify } from "node:util";
import { JobFailure, type ObjectFacts } from "../protocol.ts";

const readAt = promisify(read);
const STDIN = 0;
const CHUNK_BYTES = 2 ** 19;

/**
 * Holds this process's stdin to what was recorded of it, where it is a file. It is read from its beginning whatever a
 * program that was given it has read, and neither disturbs the other.
 */
export async function checkInput(expected: ObjectFacts | null): Promise<void> {
  if (expected === null) return;
  const { size } = fstatSync(STDIN);
  if (size !== expected.sizeBytes) {
    throw corrupted(`the object has ${size} bytes, ${expected.sizeBytes} were recorded`);
  }
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await readAt(STDIN, buffer, 0, CHUNK_BYTES, at).catch((error: Error) => {
      throw new JobFailure("Unreachable", `reading the archive failed: ${error.message}`, { cause: error });
    });
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  const sha256 = hash.digest("hex");
  if (sha256 !== expected.sha256) throw corrupted(`its checksum is ${sha256}, ${expected.sha256} was recorded`);
}

function corrupted(message: string): JobFailure {
  return new JobFailure("ArchiveCorrupted", `the archive is damaged: ${message}`);
}
