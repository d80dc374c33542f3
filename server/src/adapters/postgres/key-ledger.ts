import pg from "pg";
import { judgeKeys, type KeyMark, type KeyVerdict } from "#core/secrets/judge-keys.ts";
import type { Sealer } from "#ports/secrets.ts";
import { beginSealing } from "./queries/keys/begin-sealing.ts";
import { deleteUnusedKeys } from "./queries/keys/delete-unused-keys.ts";
import { endSealing } from "./queries/keys/end-sealing.ts";
import { insertSecretKey } from "./queries/keys/insert-secret-key.ts";
import { listSealedOtherwise } from "./queries/keys/list-sealed-otherwise.ts";
import { listSecretKeys } from "./queries/keys/list-secret-keys.ts";
import { rewrapCredential } from "./queries/keys/rewrap-credential.ts";
import { rewrapVariable } from "./queries/keys/rewrap-variable.ts";
import { all, count } from "./statement.ts";

// Serialises programs that start together on one database. The number only has to be ours.
const KEYS_LOCK = 7_201_947;

/** What connections of a process that has keys are called, so that others see that it runs. */
export const keyedName = (name: string, keyId: string | null): string =>
  keyId === null ? name : `${name}, key ${keyId}`;

const KEYED = /^codehub .*, key [a-z0-9-]+, schema \d+$/;

/** The deployment's keys, while nobody else looks at them. */
export interface KeyLedger {
  readonly known: Awaited<ReturnType<typeof readKnown>>;
  readonly othersRun: boolean;
  /** Judges the file's keys, and writes down what follows unless they are refused. */
  readonly bind: (file: readonly KeyMark[]) => Promise<KeyVerdict>;
  /** From now on this one seals; what the others sealed gets it, too. Resolves to how many values were given it, and how many do not open. */
  readonly rotate: (to: KeyMark, sealer: Sealer) => Promise<{ readonly moved: number; readonly closed: number }>;
  /** Forgets what seals nothing any more; resolves to the keys that are left. */
  readonly tidy: () => Promise<ReadonlySet<string>>;
  /** Lets the next one look: by then this process is connected under a name that says so. */
  readonly release: () => Promise<void>;
}

const readKnown = (client: pg.Client) => all(client, listSecretKeys, {});

/** The same for somebody who only looks. */
export async function readKnownKeys(url: string): Promise<KeyLedger["known"]> {
  const client = new pg.Client({ connectionString: url, application_name: "codehub doctor" });
  client.on("error", () => undefined);
  await client.connect();
  return await readKnown(client).finally(() => client.end().catch(() => undefined));
}

/** A connection as the login itself: only that sees the names of other connections. */
export async function openKeyLedger(url: string): Promise<KeyLedger> {
  const client = new pg.Client({ connectionString: url, application_name: "codehub keys" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [KEYS_LOCK]);
    const known = await readKnown(client);
    const names = await client.query<{ name: string }>(
      "SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE datname = current_database()",
    );
    const othersRun = names.rows.some(({ name }) => KEYED.test(name ?? ""));
    return {
      known,
      othersRun,
      bind: async (file) => {
        const verdict = judgeKeys({ file, known, othersRun });
        if (verdict.kind === "usable") await record(client, verdict);
        return verdict;
      },
      rotate: (to, sealer) => rotate(client, to, sealer),
      tidy: async () => {
        await all(client, deleteUnusedKeys, {});
        return new Set((await readKnown(client)).map(({ id }) => id));
      },
      // Closing the session also gives the lock back.
      release: () => client.end().catch(() => undefined),
    };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

async function record(client: pg.Client, verdict: KeyVerdict & { readonly kind: "usable" }): Promise<void> {
  await client.query("BEGIN");
  for (const key of verdict.fresh) await count(client, insertSecretKey, key);
  if (verdict.seals !== null) await sealWith(client, verdict.seals);
  await client.query("COMMIT");
}

/** Whoever is sealing a value has finished when this resolves, and whoever begins later takes this key. */
async function sealWith(tx: Pick<pg.ClientBase, "query">, id: string): Promise<void> {
  await count(tx, endSealing, { id });
  await count(tx, beginSealing, { id });
}

const BATCH = 100;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

async function rotate(client: pg.Client, to: KeyMark, sealer: Sealer): Promise<{ moved: number; closed: number }> {
  await record(client, { kind: "usable", seals: to.id, fresh: [to], different: [], missing: [] });
  const done = { moved: 0, closed: 0 };
  for (let after = BEFORE_ALL; ; ) {
    const rows = await all(client, listSealedOtherwise, { keyId: to.id, after, limit: BATCH });
    await client.query("BEGIN");
    for (const { kept, id, owner, scope, name, ...sealed } of rows) {
      const anew = await sealer.rewrap(to.id, { owner, scope, name, id }, sealed);
      const change = { id, was: sealed.keyId, keyId: to.id, wrapped: anew?.wrapped ?? sealed.wrapped };
      if (anew === null) done.closed += 1;
      else done.moved += await count(client, kept === "credentials" ? rewrapCredential : rewrapVariable, change);
      after = id;
    }
    await client.query("COMMIT");
    if (rows.length < BATCH) return done;
  }
}
