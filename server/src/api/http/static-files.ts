import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";

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
  /** Pages of other sites show it. */
  readonly forEverybody: boolean;
  readonly plain: Buffer;
  readonly gzip: Buffer | null;
  readonly brotli: Buffer | null;
}

/**
 * The built dashboard, read once, with the packed forms that its build put beside the files. A request is looked up by exact
 * name in this map: there is no path to join, so there is none to escape from.
 */
export async function loadStaticFiles(directory: string): Promise<ReadonlyMap<string, StaticFile>> {
  const contents = new Map<string, Buffer>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    // What begins with a dot is a note of the build.
    if (!entry.isFile() || entry.name.startsWith(".")) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(directory.length).replaceAll("\\", "/").replace(/^\/*/, "/");
    contents.set(name, await readFile(path));
  }
  const isPacked = (name: string): boolean => /\.(br|gz)$/.test(name) && contents.has(name.slice(0, -3));
  const files = [...contents].filter(([name]) => !isPacked(name));
  return new Map(files.map(([name, plain]) => [name, staticFile(name, plain, contents)]));
}

function staticFile(name: string, plain: Buffer, contents: ReadonlyMap<string, Buffer>): StaticFile {
  return {
    type: TYPES[extname(name)] ?? "application/octet-stream",
    etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
    immutable: name.startsWith("/assets/"),
    forEverybody: name === "/badge.svg",
    plain,
    gzip: contents.get(`${name}.gz`) ?? null,
    brotli: contents.get(`${name}.br`) ?? null,
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
