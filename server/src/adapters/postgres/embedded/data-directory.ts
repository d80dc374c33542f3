import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { makePrivate, type Place } from "./place.ts";
import { EmbeddedPostgresError, explainFailure, explainSystemError, unreadable } from "./trouble.ts";

/** The superuser's name inside the embedded server, and the name of the program's database. */
export const EMBEDDED_USER = "codehub";

/** Makes sure that the data directory is one that these binaries can serve; makes a new one only where there is none. */
export async function prepareDataDirectory(place: Place, binaries: Binaries): Promise<void> {
  const state = await inspect(place.dataDir);
  if (state.kind === "absent") {
    await initialise(place, binaries);
    return;
  }
  if (state.kind === "foreign") {
    throw new EmbeddedPostgresError(
      "not-a-database",
      `${place.dataDir} is not empty and holds no PostgreSQL data. Move its content away or set DATA_DIR to another directory.`,
    );
  }
  if (state.majorVersion !== binaries.majorVersion) {
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

/** The directory gets its name only once it is complete, so a crash or a full disk never leaves half of one. */
async function initialise(place: Place, binaries: Binaries): Promise<void> {
  const building = `${place.dataDir}.new`;
  try {
    await rm(building, { recursive: true, force: true });
    await makePrivate(building, place.account);
    await writeFile(place.passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
    if (place.account.switchUser) {
      await chown(place.passwordFile, place.account.uid, place.account.gid);
    }
    await runInitdb(place, binaries, building);
    await rm(place.dataDir, { recursive: true, force: true });
    await rename(building, place.dataDir);
  } catch (error) {
    await rm(building, { recursive: true, force: true }).catch(() => undefined);
    throw explainSystemError(error, place.rootDir);
  }
}

function runInitdb(place: Place, binaries: Binaries, dataDir: string): Promise<void> {
  // The socket's directory is private, so whoever reaches it is trusted; TCP, where switched on, asks for the password.
  const options = [
    `--pgdata=${dataDir}`,
    `--username=${EMBEDDED_USER}`,
    `--pwfile=${place.passwordFile}`,
    "--auth-local=trust",
    "--auth-host=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--locale=C.UTF-8",
    "--no-instructions",
  ];
  const identity = place.account.switchUser ? { uid: place.account.uid, gid: place.account.gid } : {};
  return new Promise((resolve, reject) => {
    const child = spawn(binaries.initdb, options, {
      cwd: "/",
      env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" },
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
