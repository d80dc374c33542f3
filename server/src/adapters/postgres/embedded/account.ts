import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { EmbeddedPostgresError } from "./trouble.ts";

/**
 * The user PostgreSQL runs as. `switchUser` is false when that is simply who we are. `maker` runs initdb alone, which wants
 * a uid that the system's list has a name for; its group is the account's, so that no other process of that uid may look
 * into it.
 */
export type Account = { name: string; uid: number; gid: number; switchUser: boolean; maker: number };

/** No distribution gives these out, and workspaces have others. Nothing is added to the system's list of users. */
const FIRST_OWN_UID = 60_600;
const OWN_UIDS = 500;
const isOwnUid = (uid: number): boolean => uid >= FIRST_OWN_UID && uid < FIRST_OWN_UID + OWN_UIDS;

/**
 * PostgreSQL refuses to run as root. Started by root it runs as the owner of an existing data directory, so that a
 * deployment first started by a normal user goes on working; else as the user `codehub` where the system has one, else
 * under a uid that nothing else on the machine has. `nobody`, whom the first version used, is shared by many programs:
 * a directory of his is taken over.
 */
export async function chooseAccount(dataDir: string): Promise<Account> {
  const uid = process.getuid?.();
  const gid = process.getgid?.();
  if (uid === undefined || gid === undefined) {
    throw new EmbeddedPostgresError(
      "no-account",
      "The embedded PostgreSQL runs on Linux only. Set DATABASE_URL to a PostgreSQL 14 or newer.",
    );
  }
  const accounts = await readAccounts();
  if (uid !== 0) {
    const name = accounts.find((entry) => entry.uid === uid)?.name ?? String(uid);
    return { name, uid, gid, switchUser: false, maker: uid };
  }
  const owner = (await stat(dataDir).catch(() => undefined))?.uid;
  const nobody = accounts.find((entry) => entry.name === "nobody");
  const named =
    accounts.find((entry) => entry.uid === owner && entry.uid !== 0 && entry.uid !== nobody?.uid) ??
    accounts.find((entry) => entry.name === "codehub" && entry.uid !== 0);
  if (named) return { ...named, switchUser: true, maker: named.uid };
  if (!nobody) {
    throw new EmbeddedPostgresError(
      "no-account",
      "PostgreSQL refuses to run as root and this system has neither a user `codehub` nor `nobody`. Run `useradd --system codehub`, start CodeHub as a normal user, or set DATABASE_URL.",
    );
  }
  const own = owner !== undefined && isOwnUid(owner) ? owner : freeUid(dataDir, accounts);
  return { name: `the uid ${own}`, uid: own, gid: own, switchUser: true, maker: nobody.uid };
}

/** Two servers on one machine do not know of each other: each begins at a place of its own. */
function freeUid(dataDir: string, accounts: readonly { uid: number }[]): number {
  let offset = createHash("sha256").update(dataDir).digest().readUInt32BE(0) % OWN_UIDS;
  while (accounts.some((entry) => entry.uid === FIRST_OWN_UID + offset)) offset = (offset + 1) % OWN_UIDS;
  return FIRST_OWN_UID + offset;
}

async function readAccounts(): Promise<{ name: string; uid: number; gid: number }[]> {
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  return passwd.split("\n").flatMap((line) => {
    const [name, , uid, gid] = line.split(":");
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

/**
 * Whether the account may pass through every directory above `path`. Only the mode bits are read: an access list that
 * grants more makes this answer too careful, which costs a copy, never a failure.
 */
export async function canReach(path: string, account: Account): Promise<boolean> {
  for (let dir = dirname(path); ; dir = dirname(dir)) {
    const info = await stat(dir).catch(() => undefined);
    if (info && !mayEnter(info, account)) {
      return false;
    }
    if (dir === dirname(dir)) {
      return true;
    }
  }
}

function mayEnter(info: { uid: number; gid: number; mode: number }, account: Account): boolean {
  if (info.uid === account.uid) {
    return (info.mode & 0o100) !== 0;
  }
  return (info.mode & (info.gid === account.gid ? 0o010 : 0o001)) !== 0;
}
