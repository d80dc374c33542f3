import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { readKnownKeys } from "#adapters/postgres/key-ledger.ts";
import {
  checkOf,
  createKeyFile,
  type FileKey,
  KeyFileError,
  mergedKeys,
  readKeyFile,
  replaceKeyFile,
} from "#adapters/secrets/key-file.ts";
import { keyFileOf } from "#compose/secrets.ts";
import type { Config } from "#config/config.ts";
import { BackupError } from "./backup-file.ts";

/** The keys that open people's secrets, as a file that can also be put into its place by hand. */

/** What there is to be saved, and that it can be: asked before anything is written. */
export async function keysToSave(config: Config, to: string): Promise<readonly FileKey[]> {
  const file = keyFileOf(config);
  if (existsSync(to)) throw new BackupError(`${to} exists already and is not written over.`);
  const keys = await readKeyFile(file);
  if (keys === null)
    throw new BackupError(`There is no ${file}, so there are no keys to save: leave --secrets-key out.`);
  return keys;
}

/**
 * Written after the database was read. Who gives secrets another key meanwhile takes the former out of the file at the end, and
 * the backup may be of a moment before or after that: so what was in the file before goes in, too.
 */
export async function saveKeys(config: Config, to: string, before: readonly FileKey[], url: string): Promise<string[]> {
  const file = keyFileOf(config);
  const keys = mergedKeys((await readKeyFile(file)) ?? [], before, `what ${file} was a moment ago`);
  await createKeyFile(to, keys);
  return [
    `${to}: ${keys.length === 1 ? "the key" : `${keys.length} keys`} for people's secrets. Keep it apart from the backup: whoever has both has everything.`,
    ...(await missingFrom(keys, url)).map((id) => `The key ${id} was lost before: what it sealed stays closed.`),
  ];
}

/** What a restore puts into the place of the keys; found to be possible before anything is touched. */
export interface KeysToPlace {
  readonly place: () => Promise<string>;
}

export async function keysToPlace(config: Config, from: string): Promise<KeysToPlace> {
  const file = keyFileOf(config);
  const given = await readKeyFile(from);
  if (given === null) throw new BackupError(`${from} cannot be read: there is no such file.`);
  const here = await readKeyFile(file);
  const keys = mergedKeys(here ?? [], given, file);
  const added = keys.slice(here?.length ?? 0).map(({ id }) => id);
  return {
    place: async () => {
      try {
        if (here === null) {
          await mkdir(dirname(file), { recursive: true });
          await createKeyFile(file, keys);
          return `${file} has the keys for people's secrets of ${from}.`;
        }
        if (added.length === 0) return `${file} had the keys for people's secrets already.`;
        await replaceKeyFile(file, keys);
        return `${file} was there with other keys. They stay, the first of them seals, and these were added below: ${added.join(", ")}.`;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        throw new KeyFileError(
          `${file} cannot be written from here (${code}). Put the lines of ${from} into it where it comes from, below those that it has, and leave --secrets-key out. Nothing was changed.`,
          { cause: error },
        );
      }
    },
  };
}

/** What a restored database needs and the file here does not have. */
export async function reportKeys(config: Config, url: string): Promise<readonly string[]> {
  const file = keyFileOf(config);
  const missing = await missingFrom((await readKeyFile(file)) ?? [], url);
  if (missing.length === 0) return [];
  return [
    `People's secrets were sealed with ${missing.map((id) => `the key ${id}`).join(" and ")}, which ${file} does not have. Add the lines of the file of that time`,
    "before the first start, or people enter their secrets again.",
  ];
}

async function missingFrom(keys: readonly FileKey[], url: string): Promise<string[]> {
  const here = new Set(keys.map((key) => `${key.id} ${checkOf(key)}`));
  return (await readKnownKeys(url)).filter(({ id, check }) => !here.has(`${id} ${check}`)).map(({ id }) => id);
}
