import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { codeServer } from "#adapters/process/ide-command.ts";
import { IdeInstall, type InstalledIde } from "#adapters/process/ide-install.ts";
import { answersHealthz } from "#adapters/runtime-parts/http-probe.ts";
import { freePort } from "#supervise/free-port.ts";
import { cacheDir } from "../../test/runtime/cache-dir.ts";
import type { OpenBrowser, Stay } from "./browser.ts";
import { fillHome } from "./home.ts";
import type { Seen } from "./workspace.ts";

const ASK_MS = 5;

/** The IDE that our workspaces run, started by hand with the same flags, on a home of the same kind. */
export class BareIde implements AsyncDisposable {
  readonly #dir: string;
  readonly #installed: InstalledIde;
  readonly #port: number;

  private constructor(dir: string, installed: InstalledIde, port: number) {
    this.#dir = dir;
    this.#installed = installed;
    this.#port = port;
  }

  static async prepare(): Promise<BareIde> {
    const installed = await new IdeInstall(await cacheDir("ide")).find();
    if (installed === null) throw new Error("the IDE is not installed");
    const dir = await mkdtemp(join(tmpdir(), "codehub-bare-ide-"));
    await mkdir(join(dir, "home"));
    await mkdir(join(dir, "run"));
    await fillHome(join(dir, "home"));
    // The same one every time: a browser keeps what it has loaded by the address it came from.
    return new BareIde(dir, installed, await freePort());
  }

  async visit(browser: OpenBrowser, stay: Stay): Promise<Seen> {
    const begun = performance.now();
    return await this.#while(async () => {
      let answered = 0;
      const shown = await browser.untilRows(async () => {
        await this.#answers();
        answered = performance.now();
        return `http://localhost:${this.#port}/`;
      }, stay);
      return { answersS: (answered - begun) / 1_000, rowsS: (shown - begun) / 1_000 };
    });
  }

  /** Started, and ended when it has answered: how long until then, in seconds. */
  async start(): Promise<number> {
    const begun = performance.now();
    return await this.#while(async () => {
      await this.#answers();
      return (performance.now() - begun) / 1_000;
    });
  }

  async #answers(): Promise<void> {
    while (!(await answersHealthz({ kind: "tcp", host: "127.0.0.1", port: this.#port }))) await delay(ASK_MS);
  }

  async #while<T>(work: () => Promise<T>): Promise<T> {
    const ide = this.#start();
    try {
      return await work();
    } finally {
      const gone = once(ide, "exit");
      ide.kill("SIGTERM");
      await gone;
    }
  }

  #start(): ChildProcess {
    const home = join(this.#dir, "home");
    const runtimeDir = join(this.#dir, "run");
    const socket = join(runtimeDir, "ide.sock");
    const { node, entry } = this.#installed;
    const ours = codeServer(node, entry).command({ home, folder: home, socket, runtimeDir });
    const at = ours.indexOf("--socket");
    const [program = "", ...args] = ours.toSpliced(at, 4, "--bind-addr", `127.0.0.1:${this.#port}`);
    return spawn(program, args, {
      cwd: home,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, USER: "coder", SHELL: "/bin/bash", LANG: "C.UTF-8" },
      stdio: "ignore",
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#dir, { recursive: true, force: true });
  }
}
