import { openKeyLedger } from "#adapters/postgres/key-ledger.ts";
import { requireSchema } from "#adapters/postgres/migrate.ts";
import { checkOf, type FileKey, makeKeyFile, newKey, readKeyFile, replaceKeyFile } from "#adapters/secrets/key-file.ts";
import { FileSealer } from "#adapters/secrets/sealer.ts";
import { KeysRefused, keyFileOf } from "#compose/secrets.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import { configuration } from "./environment.ts";
import { openOperatorDatabase } from "./operator-database.ts";

const markOf = (key: FileKey) => ({ id: key.id, check: checkOf(key) });
const UNWRITABLE = new Set(["EACCES", "EPERM", "EROFS", "EBUSY"]);

/**
 * Another key for people's secrets, beside a server that runs or without. What was interrupted is finished by the next: a file
 * with several keys is one whose first is to become the only one.
 */
export async function rotateSecrets(): Promise<number> {
  const config = configuration();
  const file = keyFileOf(config);
  await using database = await openOperatorDatabase(config);
  await requireSchema(database.url);
  const ledger = await openKeyLedger(database.url);
  try {
    const found = await readKeyFile(file);
    if (found === null && ledger.othersRun) throw new KeysRefused(file, { id: sealing(ledger.known), why: "missing" });
    const keys = found ?? (await makeKeyFile(file));
    const verdict = await ledger.bind(keys.map(markOf));
    if (verdict.kind === "refused") throw new KeysRefused(file, verdict);
    const usable = keys.filter(({ id }) => !verdict.different.includes(id));
    const to = usable.length === 1 && found !== null ? newKey() : (usable[0] ?? newKey());
    if (!keys.includes(to) && !(await written(file, [to, ...keys], "first"))) return EXIT.failed;
    const { moved, closed } = await ledger.rotate(markOf(to), new FileSealer(file, [to, ...usable]));
    const needed = await ledger.tidy();
    const kept = [to, ...keys.filter(({ id }) => id !== to.id && needed.has(id))];
    console.log(`Key ${to.id} seals now; ${moved} values were given it.`);
    if (closed > 0)
      console.log(`${closed} values do not open, because their key is not in ${file}. They stay as they are.`);
    const isTidy = kept.length === (keys.includes(to) ? keys.length : keys.length + 1);
    if (!isTidy && !(await written(file, kept, "last"))) return EXIT.failed;
    console.log(`${file} is another one now: back it up, apart from the database.`);
    return EXIT.inOrder;
  } finally {
    await ledger.release();
  }
}

const sealing = (known: readonly { readonly id: string; readonly seals: boolean }[]): string =>
  known.find(({ seals }) => seals)?.id ?? "";

/** Where the file is given from elsewhere, as a Secret of a cluster is, whoever gives it has to do this step. */
async function written(file: string, keys: readonly FileKey[], step: "first" | "last"): Promise<boolean> {
  try {
    await replaceKeyFile(file, keys);
    return true;
  } catch (error) {
    if (!UNWRITABLE.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    console.error(
      step === "first"
        ? `${file} cannot be written from here. Put a new first line into it where it comes from (a name, a space, and what "openssl rand -base64 32" prints), let every server have it, and run this again.`
        : `${file} cannot be written from here. All is sealed with its first key now: remove the other lines where it comes from.`,
    );
    return false;
  }
}
