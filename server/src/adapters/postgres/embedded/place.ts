import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Account, canReach, chooseAccount } from "./account.ts";
import { explainSystemError } from "./trouble.ts";

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
      socketDir: socketDirOf(rootDir),
      logFile: join(rootDir, "postgres.log"),
      passwordFile: join(rootDir, "password"),
      account,
    };
  } catch (error) {
    throw explainSystemError(error, dir);
  }
}

function socketDirOf(rootDir: string): string {
  const socketDir = join(rootDir, "run");
  if (Buffer.byteLength(socketDir) <= LONGEST_SOCKET_DIR) return socketDir;
  const digest = createHash("sha256").update(rootDir).digest("hex").slice(0, 16);
  return join(tmpdir(), `codehub-${digest}`);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") {
    throw error;
  }
  return undefined;
}
