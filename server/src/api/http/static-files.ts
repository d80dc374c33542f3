import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

export interface StaticFile {
  readonly type: string;
  readonly etag: string;
  /** Bundlers put a hash into these names: the same name is always the same content. */
  readonly immutable: boolean;
  readonly plain: Buffer;
  readonly gzip: Buffer | null;
  readonly brotli: Buffer | null;
}

/**
 * The built dashboard, read and compressed once. A request is looked up by exact name in this map: there is no path to
 * join, so there is none to escape from.
 */
export async function loadStaticFiles(directory: string): Promise<ReadonlyMap<string, StaticFile>> {
  const files = new Map<string, StaticFile>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(directory.length).replaceAll("\\", "/").replace(/^\/*/, "/");
    files.set(name, await loadFile(name, await readFile(path)));
  }
  return files;
}

async function loadFile(name: string, plain: Buffer): Promise<StaticFile> {
  const type = TYPES[extname(name)] ?? "application/octet-stream";
  const compressible = /^text|json|svg/.test(type) && plain.length > 500;
  return {
    type,
    etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
    immutable: name.startsWith("/assets/"),
    plain,
    gzip: compressible ? await promisify(gzip)(plain) : null,
    brotli: compressible
      ? await promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } })
      : null,
  };
}

/** The smallest form the caller says it understands. */
export function encodingFor(
  file: StaticFile,
  acceptEncoding: string | undefined,
): { readonly body: Buffer; readonly encoding: string | null } {
  const accepted = (acceptEncoding ?? "").split(",").map((part) => part.trim().toLowerCase());
  const takes = (name: string) =>
    accepted.some((part) => part === name || (part.startsWith(`${name};`) && !/q=0(\.0*)?$/.test(part)));
  if (file.brotli !== null && takes("br")) return { body: file.brotli, encoding: "br" };
  if (file.gzip !== null && takes("gzip")) return { body: file.gzip, encoding: "gzip" };
  return { body: file.plain, encoding: null };
}
