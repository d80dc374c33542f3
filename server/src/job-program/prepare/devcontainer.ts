import { constants } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { GitFailure, PrepareResult } from "../prepare-protocol.ts";

type Found = Pick<PrepareResult, "devcontainer" | "devcontainers"> & { readonly problem: GitFailure | null };

const USUAL: readonly string[] = [".devcontainer/devcontainer.json", ".devcontainer.json"];
const LIMIT_BYTES = 64 * 1024;
const LISTED = 20;

/** The usual place wins; of several others none is read, because a person has to choose. */
export async function readDevcontainer(project: string): Promise<Found> {
  const others = await inFolders(project);
  const candidates = [...USUAL, ...(others.length === 1 ? others : [])];
  for (const path of candidates) {
    const read = await readInside(project, path);
    if (read === null) continue;
    if ("text" in read) return { devcontainer: { path, text: read.text }, devcontainers: [], problem: null };
    return { devcontainer: null, devcontainers: [], problem: problem(`${path} ${read.why}`) };
  }
  return { devcontainer: null, devcontainers: others.length > 1 ? others.slice(0, LISTED) : [], problem: null };
}

const problem = (said: string): GitFailure => ({ step: "reading", exitCode: null, said, near: [] });

async function inFolders(project: string): Promise<string[]> {
  const entries = await readdir(join(project, ".devcontainer"), { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `.devcontainer/${name}`);
  const found: string[] = [];
  for (const folder of folders.toSorted()) {
    const names = await readdir(join(project, folder)).catch((): string[] => []);
    if (names.includes("devcontainer.json")) found.push(`${folder}/devcontainer.json`);
  }
  return found;
}

/** Null where there is none. A link may lead to another file of the project and to nothing else. */
async function readInside(project: string, path: string): Promise<{ text: string } | { why: string } | null> {
  const top = await realpath(project);
  const real = await realpath(join(project, path)).catch(() => null);
  if (real === null) return null;
  if (!real.startsWith(`${top}${sep}`) || real.startsWith(`${top}${sep}.git${sep}`))
    return { why: "leads out of the project" };
  // A pipe would be waited for.
  await using file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const info = await file.stat();
  if (!info.isFile()) return { why: "is not a file" };
  const bytes = Buffer.alloc(LIMIT_BYTES + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = (await file.read(bytes, length, bytes.length - length)).bytesRead;
  }
  if (length > LIMIT_BYTES) return { why: `has more than ${LIMIT_BYTES / 1024} KiB` };
  // No database keeps a text with this character in it.
  return { text: bytes.toString("utf8", 0, length).replaceAll("\0", "\ufffd") };
}
