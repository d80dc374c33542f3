import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { exchange, request } from "./exchange.ts";
import { JobFailure, type PartAddresses, type SentObject } from "./protocol.ts";

/**
 * Sends what comes out of a pipe as parts, each to its own address. One is on its way while the next one fills, so memory
 * is two parts whatever the size of the home. That all of it was sent does not make it an archive: the server completes
 * the upload, and only of a job that ended well.
 */
export async function sendParts(
  pipe: number,
  { addresses, partBytes }: PartAddresses,
  ca: string | null,
): Promise<SentObject> {
  const hash = createHash("sha256");
  let parts = 0;
  let sizeBytes = 0;
  let onTheWay: Promise<void> = Promise.resolve();
  const send = async (bytes: Buffer): Promise<void> => {
    await onTheWay;
    const address = addresses[parts];
    if (address === undefined) {
      const most = addresses.length * partBytes;
      throw new JobFailure("ActionFailed", `the archive is larger than the ${most} bytes that its volume has room for`);
    }
    parts++;
    onTheWay = putPart(address, bytes, ca);
    // Told by whoever sends the next one, or at the end.
    onTheWay.catch(() => {});
  };
  // Closed when this is over, however it ends: what writes to the other end must not wait for ever.
  const source = createReadStream("", { fd: pipe, highWaterMark: 2 ** 20 });
  let part = Buffer.allocUnsafeSlow(partBytes);
  let filled = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    hash.update(chunk);
    sizeBytes += chunk.length;
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(chunk.length - at, partBytes - filled);
      chunk.copy(part, filled, at, at + taken);
      filled += taken;
      at += taken;
      if (filled < partBytes) continue;
      await send(part);
      part = Buffer.allocUnsafeSlow(partBytes);
      filled = 0;
    }
  }
  if (filled > 0) await send(part.subarray(0, filled));
  await onTheWay;
  return { parts, sizeBytes, sha256: hash.digest("hex") };
}

async function putPart(address: string, bytes: Buffer, ca: string | null): Promise<void> {
  await exchange("sending a part of the archive", async () => {
    const response = await request(address, { method: "PUT", headers: { "content-length": bytes.length }, ca }, bytes);
    response.resume();
  });
}
