import { createHash, randomBytes } from "node:crypto";
import { chmod, chown, lstat, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Account, canReach, chooseAccount } from "./account.ts";
import { EmbeddedPostgresError, explainSystemError } from "./trouble.ts";

/** Where one embedded PostgreSQL keeps its things, and who owns them. */
export type Place = {
  rootDir: string;
  /** PostgreSQL's own directory (PGDATA). */
  dataDir: string;
  /** Private to this server, so that no port number can be taken by anybody else. */
  socketDir: string;
  logFile: string;
  passwordFile: string;
  account: Account;
};

// The kernel's socket address holds 108 bytes with the closing zero, and PostgreSQL appends a name to the directory.
const LONGEST_SOCKET_DIR = 107 - "/.s.PGSQL.65535".length;

/**
 * `dir` holds everything, unless root started us and the account PostgreSQL runs as cannot pass through a directory
 * above it (a clone below /root, which is 0700). Then the server lives below `fallbackDir` and `dir/location` says where,
 * so that removing `dir` still means starting afresh.
 */
export async function preparePlace(dir: string, fallbackDir: string): Promise<Place> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o755 });
    const recorded = (await readFile(join(dir, "location"), "utf8").catch(ignoreMissing))?.trim();
    let rootDir = await realpath(recorded ?? dir);
    const account = await chooseAccount(join(rootDir, "data"));
    if (account.switchUser && !(await canReach(join(rootDir, "data"), account))) {
      rootDir = join(fallbackDir, `postgres-${randomBytes(6).toString("hex")}`);
      await mkdir(rootDir, { recursive: true, mode: 0o755 });
      await writeFile(join(dir, "location"), `${rootDir}\n`);
    }
    return {
      rootDir,
      dataDir: join(rootDir, "data"),
      socketDir: await prepareSocketDir(rootDir, account),
      logFile: join(rootDir, "postgres.log"),
      passwordFile: join(rootDir, "password"),
      account,
    };
  } catch (error) {
    throw explainSystemError(error, dir);
  }
}

async function prepareSocketDir(rootDir: string, account: Account): Promise<string> {
  let socketDir = join(rootDir, "run");
  if (Buffer.byteLength(socketDir) > LONGEST_SOCKET_DIR) {
    const digest = createHash("sha256").update(rootDir).digest("hex").slice(0, 16);
    socketDir = join(tmpdir(), `codehub-${digest}`);
  }
  await makePrivate(socketDir, account);
  return socketDir;
}

/** Makes a directory that only the account (and root) can enter, and refuses one that somebody else put there. */
export async function makePrivate(path: string, account: Account): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const info = await lstat(path);
  const self = process.getuid?.();
  if (!info.isDirectory() || (info.uid !== account.uid && info.uid !== self)) {
    throw new EmbeddedPostgresError(
      "unreadable",
      `${path} should be a private directory of the embedded PostgreSQL but belongs to somebody else. Remove it and start again.`,
    );
  }
  await chmod(path, 0o700);
  if (account.switchUser) {
    await chown(path, account.uid, account.gid);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") {
    throw error;
  }
  return undefined;
}
