import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ContainerSeen } from "#core/rows/observation.ts";
import { freePort } from "#supervise/free-port.ts";
import { mayActAsRoot } from "../root.ts";
import { runInside } from "./ask.ts";
import { type ProcessHarness, processHarness } from "./process-harness.ts";

const never = new AbortController().signal;
const SSHD = "/usr/sbin/sshd";
const hasSshd = existsSync(SSHD) && spawnSync("git", ["--version"]).status === 0;
if (!hasSshd && process.env["CI"] !== undefined) throw new Error("CI has OpenSSH's server and git");
if (!hasSshd) console.log("Skipped: git over ssh from a room. Enable it by installing openssh-server and git.");

/** A real server of OpenSSH's that lets this key run git and nothing else, as root: who signs in needs a name here, too. */
class GitOverSsh {
  readonly port: number;
  readonly repository: string;
  readonly #dir: string;
  readonly #sshd: ChildProcess;

  private constructor(dir: string, port: number, sshd: ChildProcess) {
    this.#dir = dir;
    this.port = port;
    this.#sshd = sshd;
    this.repository = join(dir, "project.git");
  }

  static async start(): Promise<GitOverSsh> {
    const dir = await mkdtemp(join(tmpdir(), "codehub-sshd-"));
    const port = await freePort();
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(dir, "host")]);
    execFileSync("git", ["init", "-q", "--bare", "--initial-branch=main", join(dir, "project.git")]);
    const settings = [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${join(dir, "host")}`,
      `AuthorizedKeysFile ${join(dir, "keys")}`,
      "PermitRootLogin forced-commands-only",
      "StrictModes no",
      "UsePAM no",
      "PasswordAuthentication no",
      "PidFile none",
    ];
    await writeFile(join(dir, "config"), `${settings.join("\n")}\n`);
    await writeFile(join(dir, "keys"), "");
    await mkdir("/run/sshd", { recursive: true });
    const sshd = spawn(SSHD, ["-f", join(dir, "config"), "-D", "-e"], { stdio: ["ignore", "ignore", "pipe"] });
    await once(sshd.stderr as NodeJS.EventEmitter, "data");
    return new GitOverSsh(dir, port, sshd);
  }

  async admit(publicKey: string): Promise<void> {
    const command = 'command="git-shell -c \\"$SSH_ORIGINAL_COMMAND\\""';
    await appendFile(join(this.#dir, "keys"), `restrict,${command} ${publicKey}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#sshd, "exit");
    this.#sshd.kill();
    await gone;
    await rm(this.#dir, { recursive: true, force: true });
  }
}

describe.runIf(hasSshd && mayActAsRoot("git over ssh from a room"))("git over ssh from a workspace's room", () => {
  let harness: ProcessHarness;
  beforeAll(async () => {
    harness = await processHarness();
  });
  afterAll(async () => {
    await harness?.close();
  });

  const start = async (ownerId: string): Promise<ContainerSeen> => {
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const volume = await harness.makeVolume(workspaceId, attempt);
    const spec = { workspaceId, attempt, volume, imageRef: "x", hostPort: null, ownerId };
    const { address } = await harness.runtime.start(spec, never);
    await expect.poll(() => harness.runtime.answers(address), { timeout: 20_000, interval: 20 }).toBe(true);
    const [container] = await harness.runtime.inspect(workspaceId);
    if (container === undefined) throw new Error("not listed");
    return container;
  };

  it("pushes, and each of two workspaces of one owner learns for itself whom it talks to", async () => {
    await using server = await GitOverSsh.start();
    const owner = randomUUID();
    const [first, second] = [await start(owner), await start(owner)];
    const url = `ssh://root@127.0.0.1:${server.port}${server.repository}`;
    const made = await runInside(
      first,
      "ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519 && cat ~/.ssh/id_ed25519.pub",
    );
    expect(made).toMatchObject({ code: 0, text: expect.stringContaining("coder@") });
    await server.admit(made.text.trim());
    const pushed = await runInside(
      first,
      [
        "set -e; git init -q --initial-branch=main ~/project; cd ~/project; echo hello > file; git add file",
        "git -c user.name=c -c user.email=c@example.com commit -q -m one",
        `GIT_SSH_COMMAND='ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new' git push -q ${url} main`,
      ].join("\n"),
    );
    expect(pushed, pushed.text).toMatchObject({ code: 0 });
    expect(execFileSync("git", ["-C", server.repository, "show", "main:file"], { encoding: "utf8" })).toBe("hello\n");
    const known = `ssh-keygen -q -F '[127.0.0.1]:${server.port}' -f /home/coder/.ssh/known_hosts`;
    expect((await runInside(first, known)).code).toBe(0);
    expect((await runInside(second, known)).code).not.toBe(0);
    // The second has neither the first one's list nor its key.
    const refused = await runInside(
      second,
      `ssh -o BatchMode=yes -o StrictHostKeyChecking=yes -p ${server.port} root@127.0.0.1`,
    );
    expect(refused).toMatchObject({ code: 255, text: expect.stringContaining("Host key verification failed") });
  });
});
