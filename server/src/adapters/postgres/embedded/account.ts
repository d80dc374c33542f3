import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { EmbeddedPostgresError } from "./trouble.ts";

/** The user PostgreSQL runs as. `switchUser` is false when that is simply who we are. */
export type Account = { name: string; uid: number; gid: number; switchUser: boolean };

/**
 * PostgreSQL refuses to run as root. Started by root it runs as the owner of an existing data directory, so that a
 * deployment first started by a normal user goes on working; else as the user `codehub` where the system has one, else
 * as `nobody`. A passwd entry is needed: initdb looks its own user up.
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
    return { name: accounts.find((entry) => entry.uid === uid)?.name ?? String(uid), uid, gid, switchUser: false };
  }
  const owner = (await stat(dataDir).catch(() => undefined))?.uid;
  const chosen =
    accounts.find((entry) => entry.uid === owner && entry.uid !== 0) ??
    accounts.find((entry) => entry.name === "codehub" && entry.uid !== 0) ??
    accounts.find((entry) => entry.name === "nobody");
  if (!chosen) {
    throw new EmbeddedPostgresError(
      "no-account",
      "PostgreSQL refuses to run as root and this system has neither a user `codehub` nor `nobody`. Run `useradd --system codehub`, start CodeHub as a normal user, or set DATABASE_URL.",
    );
  }
  return { ...chosen, switchUser: true };
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
