import { constants } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { JobFailure, type JobIdentity } from "../protocol.ts";

/**
 * `.codehub/volume-id` beside the home, where the workspace cannot reach it: written last, so that a volume that has
 * one is whole. An engine that makes an empty volume by itself does not write it.
 */
export const FOLDER = ".codehub";
const FILE = "volume-id";

/** The identity, or null for a volume that was never finished. Anything else in the file is not guessed at. */
export async function readIdentity(volume: string): Promise<JobIdentity | null> {
  let text: string;
  try {
    // The folder is ours, but a link in its place must not lead us elsewhere.
    const file = await open(join(volume, FOLDER, FILE), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      text = await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  return parseIdentity(text);
}

function parseIdentity(text: string): JobIdentity {
  let value: Partial<Record<keyof JobIdentity, unknown>> | null = null;
  try {
    value = JSON.parse(text);
  } catch {
    // Told below, with the same words as for any other content that is not an identity.
  }
  const { workspaceId, attempt, archiveKey = null, manifestDigest = null } = value ?? {};
  const optional = (field: unknown): field is string | null => field === null || typeof field === "string";
  if (
    typeof workspaceId !== "string" ||
    typeof attempt !== "string" ||
    !optional(archiveKey) ||
    !optional(manifestDigest)
  ) {
    throw new JobFailure("ActionFailed", "the volume's identity file cannot be read: its content is damaged");
  }
  return { workspaceId, attempt, archiveKey, manifestDigest };
}

/** Sealing twice is fine; giving a volume another identity is not. */
export async function seal(volume: string, identity: JobIdentity): Promise<void> {
  const found = await readIdentity(volume);
  if (found === null) return writeIdentity(volume, identity);
  if (!isDeepStrictEqual(found, identity)) {
    throw new JobFailure("ActionFailed", `the volume belongs to attempt ${found.attempt} already`);
  }
}

/** Whole or not at all, and on the disk when it resolves. */
export async function writeIdentity(volume: string, identity: JobIdentity): Promise<void> {
  const folder = join(volume, FOLDER);
  await mkdir(folder, { mode: 0o700, recursive: true });
  const draft = join(folder, `${FILE}.new`);
  const file = await open(draft, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(identity)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, FILE));
  await syncFolder(folder);
  await syncFolder(volume);
}

/** A new name is on the disk only when its folder is. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
