import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Snapshot } from "#adapters/postgres/backup.ts";

const FORMAT = "codehub-backup";
const VERSION = 1;
const LINE_FEED = 10;

/** The first line: what this is, and of what. */
export interface Header extends Snapshot {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  /** data: everything but what lets people in. keys: that alone. */
  readonly holds: "data" | "keys";
}

export type Counts = Readonly<Record<string, number>>;

/** A file that is not what a backup has to be; the message says how. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

const asHeader = (holds: Header["holds"], snapshot: Snapshot): Header => ({
  format: FORMAT,
  version: VERSION,
  holds,
  ...snapshot,
});

/** Writes a file that nobody else may read, and that is on the disk when this resolves. Refuses one that is there. */
export async function writeBackup(
  path: string,
  holds: Header["holds"],
  snapshot: Snapshot,
  rows: AsyncIterable<{ readonly table: string; readonly row: string }>,
): Promise<Counts> {
  const counts: Record<string, number> = {};
  const file = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
  await pipeline(Readable.from(lines(asHeader(holds, snapshot), rows, counts)), createGzip(), file);
  return counts;
}

/** Each row is one line that says of which table it is; the last line says how many there were, and has a digest of all before it. */
async function* lines(
  header: Header,
  rows: AsyncIterable<{ readonly table: string; readonly row: string }>,
  counts: Record<string, number>,
): AsyncIterable<string> {
  const digest = createHash("sha256");
  const line = (text: string): string => {
    digest.update(text);
    return `${text}\n`;
  };
  yield line(JSON.stringify(header));
  for await (const { table, row } of rows) {
    counts[table] = (counts[table] ?? 0) + 1;
    yield line(`${table} ${row}`);
  }
  yield `${JSON.stringify({ end: counts, sha256: digest.digest("hex") })}\n`;
}

/**
 * Reads a backup from beginning to end and gives its rows away in order. Rejects for anything that was not written by
 * `writeBackup`, or not wholly: a reader that wants to be sure reads once before it uses anything.
 */
export async function readBackup(
  path: string,
  take: (table: string, row: string, header: Header) => Promise<void> | void = () => undefined,
): Promise<{ readonly header: Header; readonly counts: Counts }> {
  const unpacked = createGunzip();
  const reading = pipeline(createReadStream(path), unpacked);
  reading.catch(() => undefined);
  const digest = createHash("sha256");
  const counts: Record<string, number> = {};
  let header: Header | null = null;
  let end: { readonly end: Counts; readonly sha256: string } | null = null;
  try {
    for await (const line of linesOf(unpacked)) {
      if (end !== null) throw new BackupError(`${path} goes on after its end.`);
      if (header === null) header = headerOf(line, path);
      else if (line.startsWith("{")) {
        end = JSON.parse(line);
        continue;
      } else {
        const table = line.slice(0, line.indexOf(" "));
        counts[table] = (counts[table] ?? 0) + 1;
        await take(table, line.slice(table.length + 1), header);
      }
      digest.update(line);
    }
    await reading;
  } catch (error) {
    if (error instanceof BackupError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EACCES") throw new BackupError(`${path} cannot be read: ${message}`);
    if (!String(code).startsWith("Z_") && !(error instanceof SyntaxError)) throw error;
    throw new BackupError(`${path} is damaged or was cut short: ${message}.`, { cause: error });
  }
  if (header === null) throw new BackupError(`${path} is empty.`);
  if (end === null) throw new BackupError(`${path} was cut short: its end is missing.`);
  if (end.sha256 !== digest.digest("hex") || JSON.stringify(end.end) !== JSON.stringify(counts))
    throw new BackupError(`${path} is damaged: its content is not what was written.`);
  return { header, counts };
}

/** Only a line feed ends a line: Node's own reader takes other characters for an end, too, which a row may hold. */
async function* linesOf(stream: AsyncIterable<Buffer>): AsyncIterable<string> {
  let begun: Buffer[] = [];
  for await (const chunk of stream) {
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to >= 0; to = chunk.indexOf(LINE_FEED, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, to)]).toString("utf8");
      begun = [];
      from = to + 1;
    }
    begun.push(chunk.subarray(from));
  }
  const rest = Buffer.concat(begun);
  if (rest.length > 0) yield rest.toString("utf8");
}

function headerOf(line: string, path: string): Header {
  let header: Header;
  try {
    header = JSON.parse(line);
  } catch {
    throw new BackupError(`${path} is no backup of CodeHub.`);
  }
  if (header.format !== FORMAT) throw new BackupError(`${path} is no backup of CodeHub.`);
  if (header.version !== VERSION)
    throw new BackupError(`${path} was written by a newer CodeHub (format ${header.version}). Use that release.`);
  return header;
}
