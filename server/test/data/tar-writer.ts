/** Writes tar archives entry by entry, also such as no tar would write: the tests of refusal need them. */
export interface RawEntry {
  readonly name: string | Buffer;
  readonly type?: string;
  readonly mode?: number;
  readonly uid?: number;
  readonly link?: string;
  readonly content?: Buffer;
  /** In the header, whatever the content is; text is taken as it is. */
  readonly size?: number | string | Buffer;
  readonly device?: number;
  /** Records of an extended header before the entry. */
  readonly pax?: readonly (readonly [string, string | Buffer])[];
  /** An extended header's body as it is. */
  readonly rawPax?: Buffer;
  readonly magic?: string;
  readonly breakChecksum?: boolean;
}

const BLOCK = 512;

export function tarOf(entries: readonly RawEntry[], options: { endMark?: boolean } = {}): Buffer {
  const blocks = entries.flatMap((entry) => blocksOf(entry));
  if (options.endMark !== false) blocks.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(blocks);
}

function blocksOf(entry: RawEntry): Buffer[] {
  const blocks: Buffer[] = [];
  const pax = entry.rawPax ?? Buffer.concat((entry.pax ?? []).map(([key, value]) => paxRecord(key, value)));
  if (pax.length > 0) blocks.push(header({ name: "./PaxHeaders/x", type: "x", size: pax.length }), padded(pax));
  const content = entry.content ?? Buffer.alloc(0);
  blocks.push(header({ ...entry, size: entry.size ?? content.length }), padded(content));
  return blocks;
}

export function paxRecord(key: string, value: string | Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from("\n")]);
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
}

function header(entry: RawEntry): Buffer {
  const block = Buffer.alloc(BLOCK);
  const number = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
  Buffer.from(entry.name).copy(block, 0, 0, 100);
  number(entry.mode ?? 0o644, 100, 8);
  number(entry.uid ?? 1000, 108, 8);
  number(1000, 116, 8);
  if (typeof entry.size === "number") number(entry.size, 124, 12);
  else Buffer.from(entry.size ?? "").copy(block, 124, 0, 12);
  number(1_700_000_000, 136, 12);
  block.write(entry.type ?? "0", 156, "latin1");
  block.write(entry.link ?? "", 157, 100, "utf8");
  block.write(entry.magic ?? "ustar\x0000", 257, "latin1");
  number(Math.floor((entry.device ?? 0) / 256), 329, 8);
  number((entry.device ?? 0) % 256, 337, 8);
  block.fill(0x20, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, entry.breakChecksum === true ? 1 : 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}
