import { type ChildProcess, spawn } from "node:child_process";
import {
  access,
  chmod,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperationFailure } from "#ports/failure.ts";
import type { OnWaiting } from "#ports/runtime.ts";
import { unreachableParent } from "./accounts.ts";
import { CodeServerFiles } from "./ide-files.ts";
import { readJson } from "./record.ts";

/** The "image" of this runtime, pinned: npm checks every package below against the lock files that come inside it. */
export const VERSION = "4.139.1";
const INTEGRITY = "sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==";
const STEP_LIMIT_MS = 15 * 60_000;

export interface InstalledIde {
  readonly node: string;
  readonly entry: string;
}

/**
 * Installs code-server without a compiler: the packages come with binaries for the usual machines, so no install script
 * runs. Made in a temporary directory and then renamed: what has the final name is whole. Downloads are kept in npm's own
 * cache, so that a second try goes on where the first one ended.
 */
export class IdeInstall {
  readonly #dir: string;
  readonly #listeners = new Set<OnWaiting>();
  #begunAt = 0;
  #running: Promise<void> | null = null;
  #files: CodeServerFiles | null = null;

  constructor(ideDir: string) {
    this.#dir = ideDir;
  }

  get #final(): string {
    return join(this.#dir, `code-server-${VERSION}`);
  }

  /** Null when it was not installed yet. */
  async find(): Promise<InstalledIde | null> {
    const entry = join(this.#final, ENTRY);
    const found = await access(entry).then(
      () => true,
      () => false,
    );
    return found ? { node: await reachableNode(this.#dir), entry } : null;
  }

  /** What browsers load of it. Null when it was not installed yet. */
  async files(): Promise<CodeServerFiles | null> {
    if (this.#files !== null) return this.#files;
    const installed = await this.find();
    // Packed files lie inside the installation, and go when it goes.
    this.#files = installed === null ? null : new CodeServerFiles(installed.entry, join(this.#final, "packed"));
    return this.#files;
  }

  /** Callers share one installation. One who gives up stops waiting; the others, and the next one, profit from it. */
  async ensure(onWaiting: OnWaiting, signal: AbortSignal): Promise<void> {
    if ((await this.find()) !== null) return;
    signal.throwIfAborted();
    this.#listeners.add(onWaiting);
    this.#running ??= this.#install().finally(() => {
      this.#running = null;
    });
    const aborted = Promise.withResolvers<never>();
    const giveUp = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      await Promise.race([this.#running, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", giveUp);
      this.#listeners.delete(onWaiting);
    }
  }

  async #install(): Promise<void> {
    this.#begunAt = Date.now();
    try {
      await this.#removeLeftovers();
      const building = await mkdtemp(join(this.#dir, BUILDING));
      await chmod(building, 0o755);
      await writeFile(join(building, "package.json"), JSON.stringify({ private: true }));
      const server = join(building, "node_modules/code-server");
      await this.#npm(building, ["install", "--save-exact", `code-server@${VERSION}`], "Fetching code-server", 0);
      await checkIntegrity(building);
      const afterServer = APPROXIMATE_BYTES * 0.45;
      await this.#npm(
        join(server, "lib/vscode"),
        ["install", "--omit=dev"],
        "Fetching the editor's packages",
        afterServer,
      );
      await this.#npm(
        join(server, "lib/vscode/extensions"),
        ["install", "--omit=dev"],
        "Fetching the extensions' packages",
        APPROXIMATE_BYTES * 0.95,
      );
      await linkCommandLineTool(join(server, "lib/vscode/bin"));
      await rename(building, this.#final);
    } catch (error) {
      if (error instanceof OperationFailure) throw error;
      throw new OperationFailure(
        "ImagePullFailed",
        `code-server ${VERSION} could not be installed: ${(error as Error).message}`,
        { cause: error },
      );
    }
  }

  async #removeLeftovers(): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o755 });
    for (const name of await readdir(this.#dir)) {
      if (name.startsWith(BUILDING)) await rm(join(this.#dir, name), { recursive: true, force: true });
    }
  }

  async #npm(cwd: string, args: readonly string[], message: string, bytesBefore: number): Promise<void> {
    // npm must run on our own Node: an older one picks other packages, silently.
    const path = `${dirname(process.execPath)}:${process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"}`;
    const child = spawn("npm", [...args, ...NPM_FLAGS], {
      cwd,
      env: { ...process.env, PATH: path },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let errors = "";
    // Without free descriptors there is no stderr, and the error comes before anybody below listens.
    child.on("error", () => {});
    child.stderr?.on("data", (chunk: Buffer) => {
      errors = (errors + chunk.toString("utf8")).slice(-4_000);
    });
    void this.#report(child, message, bytesBefore);
    const report = setInterval(() => void this.#report(child, message, bytesBefore), 1_000);
    const limit = setTimeout(() => child.kill("SIGKILL"), STEP_LIMIT_MS);
    try {
      await new Promise<void>((resolve, reject) => {
        child.once("error", (error: NodeJS.ErrnoException) =>
          reject(error.code === "ENOENT" ? new Error("npm was not found. Install it, or add it to PATH.") : error),
        );
        child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(npmError(errors, code)))));
      });
    } finally {
      clearInterval(report);
      clearTimeout(limit);
    }
  }

  /** npm says little about how far it is; the kernel counts what it has written. */
  async #report(child: ChildProcess, message: string, bytesBefore: number): Promise<void> {
    const io = await readFile(`/proc/${child.pid}/io`, "utf8").catch(() => "");
    const written = Number(/^wchar: (\d+)$/m.exec(io)?.[1] ?? 0);
    const doneBytes = Math.round(Math.min(bytesBefore + written, APPROXIMATE_BYTES));
    const fields = { done_bytes: doneBytes, total_bytes: APPROXIMATE_BYTES, message };
    for (const listener of this.#listeners) listener({ code: "installing", fields, since: this.#begunAt });
  }
}

export const ENTRY = "node_modules/code-server/out/node/entry.js";
const BUILDING = ".building-";
const APPROXIMATE_BYTES = 620_000_000;
const NPM_FLAGS = [
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--prefer-offline",
  "--no-update-notifier",
  "--loglevel=error",
];

function npmError(errors: string, code: number | null): string {
  if (/ENOSPC/.test(errors)) return "the disk is full.";
  if (/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ECONNRESET/.test(errors)) {
    return `the package registry cannot be reached. Check the network, or npm's registry and proxy settings. ${lastErrors(errors)}`;
  }
  return `npm ended with ${code === null ? "a signal" : `code ${code}`}. ${lastErrors(errors)}`;
}

const lastErrors = (errors: string): string =>
  errors
    .split("\n")
    .filter((line) => line.startsWith("npm error") && !line.includes("complete log"))
    .slice(0, 4)
    .join(" ");

async function checkIntegrity(building: string): Promise<void> {
  const lock = await readJson<{ packages: Record<string, { integrity?: string }> }>(
    join(building, "node_modules/.package-lock.json"),
  );
  const found = lock?.packages["node_modules/code-server"]?.integrity;
  if (found !== INTEGRITY)
    throw new Error(`the package is not the one expected (${found ?? "no checksum"}). Nothing of it was used.`);
}

/** What the package's install script would do besides: the command `code-server` of the IDE's own terminals. */
async function linkCommandLineTool(bin: string): Promise<void> {
  await rm(join(bin, "remote-cli/code-server"), { force: true });
  await symlink("code-linux.sh", join(bin, "remote-cli/code-server"));
  await rm(join(bin, "helpers/browser.sh"), { force: true });
  await symlink("browser-linux.sh", join(bin, "helpers/browser.sh"));
}

/** Accounts of workspaces must be able to run Node. Below a private directory (/root), and below /home, which rooms cover, they get a copy. */
export async function reachableNode(ideDir: string): Promise<string> {
  const { execPath } = process;
  const seen = !execPath.startsWith("/home/") && (await unreachableParent(execPath)) === null;
  if (process.getuid?.() !== 0 || seen) return execPath;
  const copy = join(ideDir, `node-${process.version}`);
  if (
    await access(copy).then(
      () => true,
      () => false,
    )
  )
    return copy;
  const temporary = `${copy}.${process.pid}`;
  await link(execPath, temporary).catch(() => copyFile(execPath, temporary));
  await chmod(temporary, 0o755);
  await rename(temporary, copy);
  return copy;
}
