import { stat } from "node:fs/promises";
import { readKnownKeys } from "#adapters/postgres/key-ledger.ts";
import { checkOf, KeyFileError, readKeyFile } from "#adapters/secrets/key-file.ts";
import type { Config } from "#config/config.ts";
import type { SecretsSeen } from "#core/doctor/judge-secrets.ts";
import { keyFileOf, ownsItsData } from "./secrets.ts";

const OTHERS = 0o007;

/** The key file as this user can read it, and what the database knows of its keys. */
export async function lookAtSecrets(config: Config, url: string | null): Promise<SecretsSeen> {
  const path = keyFileOf(config);
  const file = await readKeyFile(path).then(
    (keys) => keys?.map((key) => ({ id: key.id, check: checkOf(key) })) ?? null,
    (error: unknown) => {
      if (!(error instanceof KeyFileError)) throw error;
      return error.message;
    },
  );
  const mode =
    file === null
      ? 0
      : await stat(path).then(
          (found) => found.mode,
          () => 0,
        );
  const known = url === null ? null : await readKnownKeys(url).catch(() => null);
  const made = config.SECRETS_KEY_FILE === null && ownsItsData(config);
  return { path, file, open: (mode & OTHERS) !== 0, made, known };
}
