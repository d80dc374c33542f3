import { existsSync } from "node:fs";
import path from "node:path";
import { openKeyLedger } from "#adapters/postgres/key-ledger.ts";
import { checkOf, type FileKey, KeyFileError, makeKeyFile, readKeyFile } from "#adapters/secrets/key-file.ts";
import { FileSealer } from "#adapters/secrets/sealer.ts";
import { type Config, ConfigError } from "#config/config.ts";
import type { Logger } from "#ports/logger.ts";
import type { Sealer } from "#ports/secrets.ts";

export interface Secrets {
  readonly sealer: Sealer;
  /** The key that seals when this process starts; null where it has none. */
  readonly keyId: string | null;
  /** To be called once connections under a name with the key are open. */
  readonly bound: () => Promise<void>;
}

/** Another process of this deployment has other keys; the message says which and what to do. */
export class KeysRefused extends Error {
  override readonly name = "KeysRefused";

  constructor(file: string, { id, why }: { readonly id: string; readonly why: "missing" | "different" }) {
    const what =
      why === "missing" ? `${file} does not have the key ${id}` : `the key ${id} in ${file} is another one than theirs`;
    super(
      `Other processes of this deployment seal people's secrets with the key ${id}, and ${what}: they could not open each other's. Set SECRETS_KEY_FILE to a copy of the file that they use. Nothing was changed.`,
    );
  }
}

/** Where the keys lie: as configured, else beside the data. */
export const keyFileOf = (config: Pick<Config, "DATA_DIR" | "SECRETS_KEY_FILE">): string =>
  config.SECRETS_KEY_FILE ?? path.join(config.DATA_DIR, "secrets.key");

/** A file is made only for a deployment that is this machine's alone: several would each make their own. */
export const ownsItsData = (config: Pick<Config, "DATA_DIR" | "DATABASE_URL">): boolean =>
  config.DATABASE_URL === null || existsSync(path.join(config.DATA_DIR, "postgres"));

/** The key file as this deployment may use it, compared with what the database knows of it. */
export async function openSecrets(config: Config, url: string, logger: Logger): Promise<Secrets> {
  const file = keyFileOf(config);
  const ledger = await openKeyLedger(url);
  try {
    let keys = await readKeyFile(file);
    const mayMake = config.SECRETS_KEY_FILE === null && ownsItsData(config) && !ledger.othersRun;
    if (keys === null && mayMake) {
      keys = await makeKeyFile(file);
      logger.warn({ file }, "a key for people's secrets was made: back it up, apart from the database");
    }
    const marks = (keys ?? []).map((key) => ({ id: key.id, check: checkOf(key) }));
    const verdict = await ledger.bind(marks);
    if (verdict.kind === "refused") throw new KeysRefused(file, verdict);
    const { seals, missing, different } = verdict;
    if (missing.length > 0)
      logger.error(
        { file, missing, different },
        "what these keys sealed cannot be opened: workspaces start without it until the keys are in the file again",
      );
    if (seals === null && config.ROLES.includes("api"))
      logger.warn({ file }, "there is no key for people's secrets: set SECRETS_KEY_FILE, or nobody can save one");
    const trusts = ({ id }: FileKey): boolean => !different.includes(id);
    return { sealer: new FileSealer(file, keys ?? [], trusts), keyId: seals, bound: () => ledger.release() };
  } catch (error) {
    await ledger.release();
    // Until somebody has put the file right, no other try will fare better.
    throw error instanceof KeyFileError ? new ConfigError([error.message]) : error;
  }
}
