import { createReadStream } from "node:fs";
import { lstat, mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip, type ZlibOptions, zstdCompress } from "node:zlib";
import { CODINGS, type Coding, type IdeFile, type IdeFiles } from "#ports/ide-files.ts";
import { readJson } from "./record.ts";

/** What browsers load of the IDE. Pages are not among them: the IDE says more about those than their type. */
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};
const PACKED: ReadonlySet<string> = new Set([".png", ".woff2"]);
/** Below that the answer's head is as large as what it could save. */
const WORTH_BYTES = 1_024;
/** Each segment begins with a letter, a digit, an underscore or the mark of a package's owner: none is `.` or `..`, or empty. */
const BELOW = /^(?:out|node_modules)(?:\/[A-Za-z0-9_@][A-Za-z0-9_@.+-]*)+$/;
/** The one that everything waits for, packed before anybody asks. */
const LARGEST = "out/vs/code/browser/workbench/workbench.js";

/** Packed once for an installation, so the time is well spent; beyond these levels seconds buy hardly anything. */
const COMPRESS: Readonly<Record<Coding, (data: Buffer) => Promise<Buffer>>> = {
  zstd: (data) => compressZstd(data, { params: { [constants.ZSTD_c_compressionLevel]: 12 } }),
  br: (data) => compressBrotli(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (data) => compressGzip(data, { level: 9 }),
};
const compressZstd = promisify(zstdCompress);
const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify<Buffer, ZlibOptions, Buffer>(gzip);

/**
 * Serves what browsers load from one installation of code-server. Its files belong to the server's account; what is
 * packed of them lies beside them. A file is known by the exact path below the installation's commit: links are not followed.
 */
export class CodeServerFiles implements IdeFiles {
  readonly #root: string;
  readonly #packedDir: string;
  /** Of which no other copy is made at the same time. */
  readonly #packing = new Map<string, Promise<string>>();
  #readingPrefix: Promise<string | null> | null = null;

  /** `entry` is code-server's; `packedDir` is made when something is packed. */
  constructor(entry: string, packedDir: string) {
    this.#root = join(dirname(entry), "../../lib/vscode");
    this.#packedDir = packedDir;
  }

  async find(path: string, accepted: ReadonlySet<Coding>): Promise<IdeFile | null> {
    const prefix = await this.#prefix();
    if (prefix === null || !path.startsWith(prefix)) return null;
    const below = path.slice(prefix.length);
    const type = TYPES[extname(below)];
    if (type === undefined || !BELOW.test(below)) return null;
    const file = join(this.#root, below);
    if (!(await this.#isOwn(file))) return null;
    const { size, mtimeMs } = await stat(file);
    const varies = size >= WORTH_BYTES && !PACKED.has(extname(below));
    const coding = varies ? (CODINGS.find((one) => accepted.has(one)) ?? null) : null;
    const place = coding === null ? file : await this.#packed(file, below, coding);
    const { size: bytes } = coding === null ? { size } : await stat(place);
    return {
      type,
      coding,
      varies,
      bytes,
      tag: `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}${coding === null ? "" : `-${coding}`}"`,
      open: () => createReadStream(place),
    };
  }

  /** So that the first visit does not wait for it. */
  async prepare(): Promise<void> {
    const prefix = await this.#prefix();
    if (prefix !== null) await this.find(prefix + LARGEST, new Set(["zstd"]));
  }

  #prefix(): Promise<string | null> {
    this.#readingPrefix ??= this.#readPrefix();
    return this.#readingPrefix;
  }

  /** The IDE names its files by the commit that it was built from. */
  async #readPrefix(): Promise<string | null> {
    const product = await readJson<{ commit?: unknown; quality?: unknown }>(join(this.#root, "product.json"));
    const { commit, quality } = product ?? {};
    if (typeof commit !== "string" || !/^[0-9a-f]{40}$/.test(commit)) return null;
    return `/${typeof quality === "string" ? quality : "stable"}-${commit}/static/`;
  }

  /** A regular file that is reached through directories only. */
  async #isOwn(file: string): Promise<boolean> {
    try {
      const [root, real, seen] = await Promise.all([realpath(this.#root), realpath(file), lstat(file)]);
      return seen.isFile() && real === root + file.slice(this.#root.length);
    } catch {
      return false;
    }
  }

  #packed(file: string, below: string, coding: Coding): Promise<string> {
    const place = join(this.#packedDir, coding, below);
    const making = this.#packing.get(place);
    if (making !== undefined) return making;
    const made = this.#pack(file, place, coding).finally(() => this.#packing.delete(place));
    this.#packing.set(place, made);
    return made;
  }

  async #pack(file: string, place: string, coding: Coding): Promise<string> {
    if (await isThere(place)) return place;
    const packed = await COMPRESS[coding](await readFile(file));
    await mkdir(dirname(place), { recursive: true, mode: 0o755 });
    const temporary = `${place}.${process.pid}.new`;
    try {
      await using handle = await open(temporary, "w", 0o644);
      await handle.writeFile(packed);
      await handle.sync();
      await rename(temporary, place);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    return place;
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
