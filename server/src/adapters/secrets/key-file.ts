import { createHmac, randomBytes } from "node:crypto";
import { link, open, readFile, rename, rm, stat } from "node:fs/promises";

/** One line of SECRETS_KEY_FILE. */
export interface FileKey {
  readonly id: string;
  readonly key: Uint8Array;
}

/** The file cannot be used as it is; the message says why and what to do, and holds nothing of what is in it. */
export class KeyFileError extends Error {
  override readonly name = "KeyFileError";
}

const LINE = /^([a-z0-9-]{1,20}) ([A-Za-z0-9+/]{43}=)$/;
const CHECK = "codehub secrets key";

/** By this a key is recognised without being known. */
export const checkOf = ({ key }: FileKey): string => createHmac("sha256", key).update(CHECK).digest("hex");

export const newKey = (): FileKey => ({ id: randomBytes(4).toString("hex"), key: randomBytes(32) });

export function parseKeys(text: string, path: string): FileKey[] {
  const keys: FileKey[] = [];
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "" || line.startsWith("#")) return;
    const [, id, key] = LINE.exec(line.trimEnd()) ?? [];
    const at = `SECRETS_KEY_FILE ${path}, line ${index + 1}`;
    if (id === undefined || key === undefined)
      throw new KeyFileError(
        `${at}: a line is a name of small letters, digits and dashes, a space, and 32 bytes in base64. Put the file back as it was.`,
      );
    if (keys.some((other) => other.id === id)) throw new KeyFileError(`${at}: there is a key ${id} already.`);
    keys.push({ id, key: Buffer.from(key, "base64") });
  });
  if (keys.length === 0) throw new KeyFileError(`SECRETS_KEY_FILE ${path} is empty. Put its keys back.`);
  return keys;
}

const printKeys = (keys: readonly FileKey[]): string =>
  keys.map(({ id, key }) => `${id} ${Buffer.from(key).toString("base64")}\n`).join("");

/** The keys in the file; null where there is none. */
export async function readKeyFile(path: string): Promise<FileKey[] | null> {
  try {
    return parseKeys(await readFile(path, "utf8"), path);
  } catch (error) {
    if (error instanceof KeyFileError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw new KeyFileError(
      `SECRETS_KEY_FILE ${path} cannot be read (${code}). Let the user that CodeHub runs as read it, and nobody else.`,
      { cause: error },
    );
  }
}

/** Makes the file with one key. Of several that do it at once one does, and the others find its file. */
export async function makeKeyFile(path: string): Promise<FileKey[]> {
  try {
    await createKeyFile(path, [newKey()]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return (await readKeyFile(path)) ?? [];
}

/** Makes the file with these keys, for its user only. Rejects with EEXIST where there is one. */
export async function createKeyFile(path: string, keys: readonly FileKey[]): Promise<void> {
  const part = await written(path, keys);
  try {
    await link(part, path);
  } finally {
    await rm(part, { force: true });
  }
  await syncedFolderOf(path);
}

/** Those of both, the first ones first. Rejects where both have a name for keys that are not the same. */
export function mergedKeys(first: readonly FileKey[], second: readonly FileKey[], where: string): FileKey[] {
  const merged = [...first];
  for (const key of second) {
    const same = merged.find(({ id }) => id === key.id);
    if (same === undefined) merged.push(key);
    else if (checkOf(same) !== checkOf(key))
      throw new KeyFileError(
        `The key ${key.id} is another one in ${where}: one file cannot have both. Nothing was changed.`,
      );
  }
  return merged;
}

/** Puts other keys into the file, whole or not at all; it stays whose it was. */
export async function replaceKeyFile(path: string, keys: readonly FileKey[]): Promise<void> {
  const before = await stat(path);
  const part = await written(path, keys, before);
  try {
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await syncedFolderOf(path);
}

async function written(
  path: string,
  keys: readonly FileKey[],
  like?: { readonly uid: number; readonly gid: number; readonly mode: number },
): Promise<string> {
  const part = `${path}.${randomBytes(4).toString("hex")}.part`;
  const file = await open(part, "wx", 0o600);
  try {
    if (like !== undefined) {
      await file.chown(like.uid, like.gid);
      await file.chmod(like.mode & 0o770);
    }
    await file.writeFile(printKeys(keys));
    await file.sync();
  } finally {
    await file.close();
  }
  return part;
}

async function syncedFolderOf(path: string): Promise<void> {
  const folder = await open(path.replace(/[^/]*$/, "") || ".", "r");
  await folder.sync().finally(() => folder.close());
}
