import { type HomeOwner, JobFailure, type StreamLimits, type TreeFacts } from "../protocol.ts";
import type { Modes } from "./locked.ts";
import { type Entry, Manifest } from "./manifest.ts";
import { type Extension, emptyExtension, MAX_EXTENSION_BYTES, parseExtension } from "./pax.ts";
import { SparseMap } from "./sparse.ts";
import { BLOCK, type Header, type HeaderChange, parseHeader, refused, writeHeader } from "./tar-header.ts";
import { show, TreeOrder } from "./tree-order.ts";

export interface ScanOptions {
  readonly limits: StreamLimits | null;
  /** False while unpacking: there only the rules are checked, and the volume itself is described afterwards. */
  readonly describe: boolean;
  /** The home's own entry is left out of the manifest: an archive of a home that never existed does not have it. */
  readonly skipRoot: boolean;
  /** What was opened to be read has the mode here that it is to have. In the stream it is put right in place. */
  readonly modes?: Modes;
  /**
   * For a tar without root's rights: it gives files and folders their mode before their attributes, and can set none where
   * the owner may not write. Such are passed on as writable, and remembered; so are folders that the owner may not enter, or
   * what was remembered in them could not be put right afterwards.
   */
  readonly openFiles?: boolean;
  /** Refuses what such a tar cannot unpack all the same, while the home is still there to be put right. */
  readonly forOwner?: boolean;
  /** Where the home itself is not this account's, all of it is passed on as this account's, and described both ways. */
  readonly owner?: HomeOwner;
}

/** What was in a stream, where that was asked for. */
export interface Described {
  readonly facts: TreeFacts | null;
  /** The same tree as it was passed on, where it was given to another account. */
  readonly given: TreeFacts | null;
}

interface Given {
  readonly owner: HomeOwner;
  readonly manifest: Manifest;
}

/** What to do with the bytes that come next. */
type Body =
  | { kind: "none" }
  | { kind: "extension"; chunks: Buffer[] }
  | { kind: "file" }
  | { kind: "sparse-map"; map: SparseMap }
  | { kind: "sparse-data"; map: SparseMap };

/**
 * Reads a tar stream as it flows by, in constant memory: holds it to the rules of this format and computes the
 * manifest. It accepts exactly what GNU tar writes for this program and refuses everything else.
 */
export class TarScan {
  readonly #options: ScanOptions;
  #manifest: Manifest | null;
  /** Of the tree as it is passed on, once it is known that it is another account's. */
  #given: Given | null = null;
  readonly #order = new TreeOrder();
  /** A header block that is not complete yet. */
  readonly #partial: Buffer = Buffer.alloc(BLOCK);
  #partialLength = 0;
  #body: Body = { kind: "none" };
  #bodyLeft = 0;
  #padding = 0;
  #extension: Extension | null = null;
  #zeroBlocks = 0;
  #contentBytes = 0;
  #entries = 0;
  #hadRoot = false;
  readonly #opened: (readonly [string, number])[] = [];

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#manifest = options.describe ? new Manifest() : null;
  }

  get contentBytes(): number {
    return this.#contentBytes;
  }

  get entries(): number {
    return this.#entries;
  }

  get hadRoot(): boolean {
    return this.#hadRoot;
  }

  /** What was passed on as writable, with the modes they are to have. */
  get opened(): readonly (readonly [path: string, mode: number])[] {
    return this.#opened;
  }

  write(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#bodyLeft > 0) {
        const until = Math.min(chunk.length, at + this.#bodyLeft);
        this.#bodyBytes(chunk.subarray(at, until));
        this.#bodyLeft -= until - at;
        at = until;
        if (this.#bodyLeft === 0) this.#endBody();
      } else if (this.#padding > 0) {
        const until = Math.min(chunk.length, at + this.#padding);
        this.#padding -= until - at;
        at = until;
      } else {
        at = this.#headerBytes(chunk, at);
      }
    }
  }

  /** After the last byte. A stream that was cut, even between two entries, has no end mark and is refused. */
  end(): Described {
    if (this.#zeroBlocks < 2) throw refused("it ends before its end mark: it was cut short");
    const factsOf = (manifest: Manifest | undefined | null): TreeFacts | null =>
      manifest == null ? null : { ...manifest.digest(), contentBytes: this.#contentBytes };
    return { facts: factsOf(this.#manifest), given: factsOf(this.#given?.manifest) };
  }

  #headerBytes(chunk: Buffer, at: number): number {
    if (this.#partialLength === 0 && chunk.length - at >= BLOCK) {
      this.#header(chunk.subarray(at, at + BLOCK));
      return at + BLOCK;
    }
    const taken = Math.min(BLOCK - this.#partialLength, chunk.length - at);
    chunk.copy(this.#partial, this.#partialLength, at, at + taken);
    this.#partialLength += taken;
    if (this.#partialLength === BLOCK) {
      this.#partialLength = 0;
      this.#header(this.#partial);
    }
    return at + taken;
  }

  #header(block: Buffer): void {
    const header = parseHeader(block);
    if (header === null) {
      if (this.#extension !== null) throw refused("it ends after an extended header");
      if (++this.#zeroBlocks > MAX_END_BLOCKS) throw refused("its end mark has no end");
      return;
    }
    if (this.#zeroBlocks > 0) throw refused("it goes on after its end mark");
    if (header.type === "x") {
      if (this.#extension !== null) throw refused("two extended headers follow each other");
      if (header.size > MAX_EXTENSION_BYTES) throw refused("an extended header is too large");
      this.#expect({ kind: "extension", chunks: [] }, header.size);
      if (header.size === 0) this.#extension = emptyExtension();
      return;
    }
    this.#entry(header, this.#extension ?? emptyExtension(), block);
    this.#extension = null;
  }

  #entry(header: Header, extension: Extension, block: Buffer): void {
    const type = entryType(header);
    const sparse = extension.sparse;
    const name = sparse?.name ?? extension.path ?? header.name;
    const stored = type === "file" ? (extension.size ?? header.size) : 0;
    if (type !== "file" && (header.size !== 0 || extension.size !== null || sparse !== null)) {
      throw refused(`${show(name)} is not a file and has content`);
    }
    const path = this.#order.accept(name, type === "directory");
    const target = extension.link ?? header.link;
    if (type === "symlink" && (target.length === 0 || target.includes(0))) {
      throw refused(`the link ${show(path)} leads nowhere`);
    }
    const entry: Entry = {
      path,
      type,
      mode: this.#modeOf(path, header, block, extension.attributes),
      uid: extension.uid ?? header.uid,
      gid: extension.gid ?? header.gid,
      mtime: extension.mtime ?? String(header.mtime),
      size: sparse?.size ?? stored,
      link: type === "hardlink" ? this.#order.acceptTarget(target) : type === "symlink" ? target : NOTHING,
      attributes: extension.attributes,
    };
    if (type === "file" && entry.uid === 0 && (entry.mode & 0o4000) !== 0) {
      throw refused(`${show(path)} would run as root for whoever starts it`);
    }
    this.#entries++;
    this.#contentBytes += stored;
    this.#checkLimits();
    if (path.length === 0) this.#root(entry);
    if (this.#given !== null) this.#give(this.#given, entry, extension, block);
    if (path.length > 0 || !this.#options.skipRoot) this.#manifest?.entry(entry);
    if (type === "file") this.#beginFile(extension, stored, entry.size);
  }

  /** The home's own entry, which is the first one. */
  #root({ uid, gid }: Entry): void {
    this.#hadRoot = true;
    const { owner } = this.#options;
    if (owner === undefined || (owner.uid === uid && owner.gid === gid)) return;
    this.#manifest ??= new Manifest();
    this.#given = { owner, manifest: new Manifest() };
  }

  #give(given: Given, entry: Entry, extension: Extension, block: Buffer): void {
    if (extension.uid !== null || extension.gid !== null) {
      // It has passed by already.
      const whose = `account ${entry.uid}, group ${entry.gid}`;
      throw new JobFailure(
        "ActionFailed",
        `${show(entry.path)} is of ${whose}: such a home cannot be given to another`,
      );
    }
    this.#rewrite(block, given.owner);
    given.manifest.entry({ ...entry, ...given.owner });
  }

  #modeOf(path: Buffer, header: Header, block: Buffer, attributes: Entry["attributes"]): number {
    const { modes, openFiles = false, forOwner = false } = this.#options;
    const name = path.toString("latin1");
    const mode = modes?.get(name) ?? header.mode;
    if (mode !== header.mode) this.#rewrite(block, { mode });
    const isFolder = header.type === "5";
    const needed = isFolder ? 0o700 : 0o600;
    if ((mode & needed) === needed || (attributes.length === 0 && !isFolder)) return mode;
    if (openFiles) {
      this.#opened.push([name, mode]);
      this.#rewrite(block, { mode: mode | needed });
    }
    // The list holds the owner's rights too, and comes first.
    if (forOwner && attributes.some(({ key }) => key.includes("posix_acl_access")) && attributes.length > 1) {
      throw refused(`${show(path)} has an access list and attributes, and its owner may not write to it (chmod u+rw)`);
    }
    return mode;
  }

  #rewrite(block: Buffer, change: HeaderChange): void {
    // A block that came in two pieces was copied: what is changed in it would not be in the stream.
    if (block === this.#partial) throw new Error("blocks must be whole where something in them is put right");
    writeHeader(block, change);
  }

  #content(bytes: Buffer): void {
    this.#manifest?.data(bytes);
    this.#given?.manifest.data(bytes);
  }

  #endOfFile(): void {
    this.#manifest?.endOfFile();
    this.#given?.manifest.endOfFile();
  }

  #beginFile(extension: Extension, stored: number, size: number): void {
    const sparse = extension.sparse;
    if (sparse === null) {
      this.#expect({ kind: "file" }, stored);
      if (stored === 0) this.#endOfFile();
      return;
    }
    if (sparse.major !== "1" || sparse.minor !== "0" || sparse.name === null || sparse.size === null || stored === 0) {
      throw refused("a sparse file is described in an unknown way");
    }
    this.#expect({ kind: "sparse-map", map: new SparseMap(size, stored) }, stored);
  }

  #checkLimits(): void {
    const limits = this.#options.limits;
    if (limits === null) return;
    if (this.#entries > limits.entryCount) throw refused(`it has more than the ${limits.entryCount} entries recorded`);
    if (this.#contentBytes > limits.contentBytes) {
      throw refused(`it unfolds to more than the ${limits.contentBytes} bytes recorded`);
    }
  }

  #expect(body: Body, size: number): void {
    this.#body = body;
    this.#bodyLeft = size;
    this.#padding = (BLOCK - (size % BLOCK)) % BLOCK;
  }

  #bodyBytes(bytes: Buffer): void {
    switch (this.#body.kind) {
      case "none":
        return;
      case "extension":
        // Copied: the chunk belongs to whoever reads the stream and is used again.
        this.#body.chunks.push(Buffer.from(bytes));
        return;
      case "file":
        this.#content(bytes);
        return;
      case "sparse-map": {
        const { map } = this.#body;
        const rest = map.parse(bytes);
        if (rest === null) return;
        this.#body = { kind: "sparse-data", map };
        this.#sparseBytes(map, rest);
        return;
      }
      case "sparse-data":
        this.#sparseBytes(this.#body.map, bytes);
        return;
    }
  }

  #sparseBytes(map: SparseMap, bytes: Buffer): void {
    for (const { offset, piece } of map.place(bytes)) {
      this.#manifest?.skipTo(offset);
      this.#given?.manifest.skipTo(offset);
      this.#content(piece);
    }
  }

  #endBody(): void {
    const body = this.#body;
    this.#body = { kind: "none" };
    if (body.kind === "extension") {
      this.#extension = parseExtension(Buffer.concat(body.chunks));
    } else if (body.kind === "sparse-map") {
      throw refused("the map of a sparse file is cut short");
    } else {
      if (body.kind === "sparse-data") body.map.end();
      this.#endOfFile();
    }
  }
}

const NOTHING = Buffer.alloc(0);

/** Two end an archive, and tar fills up its last record; a terabyte of zeros compresses to nothing and would take hours. */
const MAX_END_BLOCKS = 4096;

function entryType(header: Header): Entry["type"] {
  switch (header.type) {
    case "0":
      return "file";
    case "1":
      return "hardlink";
    case "2":
      return "symlink";
    case "5":
      return "directory";
    case "6":
      return "fifo";
    case "3":
      // An overlay file system's mark for a removed file: the one device that any user may make, and it opens nothing.
      if (header.device === 0) return "whiteout";
  }
  throw refused(`${show(header.name)} is of type ${JSON.stringify(header.type)}: devices have no place in a home`);
}
