import type { ArchiveEnd, ArchiveWay } from "../bytes.ts";
import { openPipe } from "../pipes.ts";
import { JobFailure, type JobReport, type ObjectFacts, type PackFacts, type SentObject } from "../protocol.ts";

/** Packs to where the archive goes. */
export async function sending(
  way: ArchiveWay,
  pack: (archive: ArchiveEnd) => Promise<PackFacts>,
): Promise<JobReport & { packed: PackFacts }> {
  if ("archive" in way) return { packed: await pack(way.archive) };
  const { send, ca } = way.addresses;
  if (send === undefined) throw new JobFailure("ActionFailed", "there is no address to send an archive to");
  const sent = new Carried<SentObject>();
  const archive = (): number => {
    const { readEnd, writeEnd } = openPipe();
    // Loaded only here: jobs beside their server do without what speaks to a store.
    sent.begin(import("../send.ts").then(({ sendParts }) => sendParts(readEnd, send, ca)));
    return writeEnd;
  };
  const packed = await pack(archive).catch((error: unknown) => sent.blame(error));
  return { packed, sent: await sent.done() };
}

/** Reads from where the archive is. What is read from an address is held to the record on its way, and not once more. */
export async function receiving<T>(
  way: ArchiveWay,
  object: ObjectFacts | null,
  unpack: (archive: ArchiveEnd, object: ObjectFacts | null) => Promise<T>,
): Promise<T> {
  if ("archive" in way) return await unpack(way.archive, object);
  const { read, ca } = way.addresses;
  if (read === undefined || object === null) {
    throw new JobFailure("ActionFailed", "there is no address to read the archive from, or nothing was recorded of it");
  }
  const received = new Carried<void>();
  const archive = (): number => {
    const { readEnd, writeEnd } = openPipe();
    received.begin(import("../receive.ts").then(({ receive }) => receive(read, ca, object, writeEnd)));
    return readEnd;
  };
  const unpacked = await unpack(archive, null).catch((error: unknown) => received.blame(error));
  await received.done();
  return unpacked;
}

/** How long the way may take to say that it was the cause. */
const BLAME_MS = 2_000;

/** The archive on its way between a program and the store. */
class Carried<T> {
  #carrying: Promise<T> | null = null;

  begin(carrying: Promise<T>): void {
    this.#carrying = carrying;
    // Told by whoever asks for it.
    carrying.catch(() => {});
  }

  async done(): Promise<T> {
    if (this.#carrying === null) throw new JobFailure("ActionFailed", "no program asked for the archive");
    return await this.#carrying;
  }

  /** Of two failures the way's is the cause: a program that cannot go on reading or writing only ends. */
  async blame(error: unknown): Promise<never> {
    const late = new Promise<void>((resolve) => setTimeout(resolve, BLAME_MS).unref());
    await Promise.race([this.#carrying, late]);
    throw error;
  }
}
