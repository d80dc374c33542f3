import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { ours } from "./place.ts";

/** How programs of ours name the files beside them, as sources and as they are built. */
const IMPORT = /\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;

/**
 * A program of ours for accounts that may not read where it lies: with all it imports, below the data directory, in a folder that is
 * named by what is in it. Whoever replaces the server replaces nothing that still runs.
 */
export async function copyProgram(entry: string, dataDir: string): Promise<string> {
  const files = await withImports(entry);
  const top = commonFolder([...files.keys()]);
  const hash = createHash("sha256");
  for (const [path, text] of files) hash.update(`${relative(top, path)}\0${text}\0`);
  const programs = join(dataDir, "programs");
  const folder = join(programs, hash.digest("hex").slice(0, 16));
  const copy = join(folder, relative(top, entry));
  if (await isThere(copy)) return copy;
  await ours(programs, 0o755);
  const building = await mkdtemp(join(programs, ".building-"));
  await write(building, "package.json", JSON.stringify({ private: true, type: "module" }));
  for (const [path, text] of files) await write(building, relative(top, path), text);
  await chmod(building, 0o755);
  await rename(building, folder).catch(async (error: NodeJS.ErrnoException) => {
    await rm(building, { recursive: true, force: true });
    // Another call was first, with the same.
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
  return copy;
}

async function withImports(entry: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const add = async (path: string): Promise<void> => {
    if (found.has(path)) return;
    const text = await readFile(path, "utf8");
    found.set(path, text);
    for (const [, name = ""] of text.matchAll(IMPORT)) await add(join(dirname(path), name));
  };
  await add(entry);
  return found;
}

function commonFolder(paths: readonly string[]): string {
  let folder = dirname(paths[0] ?? "/");
  while (!paths.every((path) => path.startsWith(`${folder}/`))) folder = dirname(folder);
  return folder;
}

async function write(building: string, name: string, text: string): Promise<void> {
  const file = join(building, name);
  for (let folder = dirname(file); folder !== building; folder = dirname(folder)) {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
  }
  await writeFile(file, text);
  await chmod(file, 0o644);
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
