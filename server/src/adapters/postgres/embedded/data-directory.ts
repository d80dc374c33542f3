import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, chown, mkdir, open, readdir, readFile, rename, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Binaries, ENVIRONMENT } from "./binaries.ts";
import { giveTree, isForeign, removeClosed } from "./ownership.ts";
import type { Place } from "./place.ts";
import { EmbeddedPostgresError, explainFailure, explainSystemError, unreadable } from "./trouble.ts";

/** The superuser's name inside the embedded server, and the name of the program's database. */
export const EMBEDDED_USER = "codehub";

/**
 * Makes sure that the data directory is one that these binaries can serve, that it is the account's, and that whoever
 * connects has to know the password; makes a new one only where there is none.
 */
export async function prepareDataDirectory(
  place: Place,
  binaries: Binaries,
  beforeTakeOver: () => Promise<void>,
): Promise<void> {
  const state = await inspect(place.dataDir);
  if (state.kind === "absent") await initialise(place, binaries);
  else refuseUnusable(state, place, binaries);
  if (await isForeign(place.dataDir, place.account)) {
    await beforeTakeOver();
    await giveTree(place.dataDir, place.account);
  }
  await requirePassword(place);
}

function refuseUnusable(state: DataDirectoryState, place: Place, binaries: Binaries): void {
  if (state.kind === "foreign") {
    throw new EmbeddedPostgresError(
      "not-a-database",
      `${place.dataDir} is not empty and holds no PostgreSQL data. Move its content away or set DATA_DIR to another directory.`,
    );
  }
  if (state.kind === "database" && state.majorVersion !== binaries.majorVersion) {
    throw new EmbeddedPostgresError(
      "other-version",
      `${place.dataDir} was written by PostgreSQL ${state.majorVersion}; this CodeHub brings PostgreSQL ${binaries.majorVersion}, which cannot read it. ` +
        `Nothing was changed. Either start the CodeHub release that brought PostgreSQL ${state.majorVersion}, or move the data: ` +
        `start it with PostgreSQL ${state.majorVersion}, write \`pg_dump --no-owner --dbname=codehub > codehub.sql\`, move ${place.dataDir} away, start CodeHub once so that it makes a new one, stop it, and load the file with psql into an empty database named codehub.`,
    );
  }
}

type DataDirectoryState = { kind: "absent" } | { kind: "foreign" } | { kind: "database"; majorVersion: number };

async function inspect(dataDir: string): Promise<DataDirectoryState> {
  let entries: string[];
  try {
    entries = await readdir(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return { kind: "absent" };
    }
    throw explainSystemError(error, dataDir);
  }
  if (entries.length === 0) {
    return { kind: "absent" };
  }
  if (!entries.includes("PG_VERSION")) {
    return { kind: "foreign" };
  }
  try {
    const majorVersion = Number.parseInt(await readFile(join(dataDir, "PG_VERSION"), "utf8"), 10);
    await readFile(join(dataDir, "global/pg_control"));
    return { kind: "database", majorVersion };
  } catch (error) {
    throw unreadable(dataDir, String(error));
  }
}

/** Every way in asks for the password, and the file that holds it is the server's alone. */
const ACCESS = `# Written by CodeHub at every start.
local all all scram-sha-256
host all all 127.0.0.1/32 scram-sha-256
host all all ::1/128 scram-sha-256
`;

/** The first version trusted whoever reached the socket. */
async function requirePassword(place: Place): Promise<void> {
  const { O_CREAT, O_NOFOLLOW, O_RDONLY, O_TRUNC, O_WRONLY } = constants;
  const { account } = place;
  try {
    await using password = await open(place.passwordFile, O_RDONLY | O_NOFOLLOW);
    // It belonged to `nobody` in the first version. A normal user's stays his: he may start CodeHub himself again.
    if (account.maker !== account.uid) await password.chown(0, 0);
    await using file = await open(join(place.dataDir, "pg_hba.conf"), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    await file.writeFile(ACCESS);
    if (account.switchUser) await file.chown(account.uid, account.gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw explainSystemError(error, place.rootDir);
    throw unreadable(place.passwordFile, "the file with the database's password is gone. Put it back from a backup.");
  }
}

/** The directory gets its name only once it is complete, so a crash or a full disk never leaves half of one. */
async function initialise(place: Place, binaries: Binaries): Promise<void> {
  const building = `${place.dataDir}.new`;
  const { account } = place;
  try {
    await removeClosed(building);
    // Who makes the database shares his uid with others: only the account's group gets to where it is made.
    await mkdir(building, { mode: 0o700 });
    const [made, passwordCopy] = [join(building, "data"), join(building, "password")];
    const password = randomBytes(24).toString("base64url");
    await mkdir(made, { mode: 0o700 });
    await writeFile(passwordCopy, password, { mode: 0o600 });
    if (account.switchUser) {
      for (const path of [made, passwordCopy]) await chown(path, account.maker, account.gid);
      await chown(building, 0, account.gid);
      await chmod(building, 0o710);
    }
    await runInitdb(place, binaries, made, passwordCopy);
    if (account.switchUser) await giveTree(made, account);
    await writeFile(place.passwordFile, password, { mode: 0o600 });
    // Only an empty directory can be in the way.
    await rmdir(place.dataDir).catch(ignoreMissing);
    await rename(made, place.dataDir);
    await removeClosed(building);
  } catch (error) {
    await removeClosed(building).catch(() => undefined);
    throw explainSystemError(error, place.rootDir);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

function runInitdb(place: Place, binaries: Binaries, dataDir: string, passwordFile: string): Promise<void> {
  const options = [
    `--pgdata=${dataDir}`,
    `--username=${EMBEDDED_USER}`,
    `--pwfile=${passwordFile}`,
    "--auth-local=scram-sha-256",
    "--auth-host=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--locale=C.UTF-8",
    "--no-instructions",
  ];
  const identity = place.account.switchUser ? { uid: place.account.maker, gid: place.account.gid } : {};
  return new Promise((resolve, reject) => {
    const child = spawn(binaries.initdb, options, {
      cwd: "/",
      env: ENVIRONMENT,
      stdio: ["ignore", "pipe", "pipe"],
      ...identity,
    });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(explainFailure(output, place.rootDir))));
  });
}
