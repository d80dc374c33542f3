import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { freePort } from "#supervise/free-port.ts";
import { diesWithUs } from "../suites/dies-with-us.ts";

const SSHD = "/usr/sbin/sshd";

/** A real sshd that gives out repositories to whoever has one of the known keys, and nothing else. */
export interface GitSshServer extends AsyncDisposable {
  /** For example ssh://root@127.0.0.1:34567; a path of a repository comes behind it. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** From now on this public key is let in. */
  readonly authorize: (publicKey: string) => void;
  /** The line of a file of known hosts. */
  readonly knownHost: () => string;
  /** From now on it is another host, as after an attack or a new installation. */
  readonly changeHostKey: () => Promise<void>;
}

export function sshdAvailable(): boolean {
  const available = existsSync(SSHD) && spawnSync("ssh", ["-V"]).status === 0;
  const how = "apt-get install openssh-server";
  if (!available && process.env["CI"] !== undefined) throw new Error(`CI needs sshd: ${how}`);
  if (!available) console.log(`Tests with an sshd are skipped: there is none. Enable them with ${how}.`);
  return available;
}

export interface KeyPair {
  readonly file: string;
  readonly publicKey: string;
}

export function makeKey(folder: string, name: string): KeyPair {
  const file = path.join(folder, name);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file]);
  return { file, publicKey: readFileSync(`${file}.pub`, "utf8").trim() };
}

/** What sshd runs for whoever comes in: only what fetches and pushes, and only below one folder. */
const gate = (root: string): string => `#!/bin/sh
# git-upload-pack '/x.git' -> git-upload-pack 'ROOT/x.git'
set -f
IFS="'" read -r command where rest <<END
$SSH_ORIGINAL_COMMAND
END
case $where in *..*) echo "no such repository" >&2; exit 1 ;; esac
exec git-shell -c "$command'${root}/\${where#/}'"
`;

export async function startGitSsh(root: string, address = "127.0.0.1"): Promise<GitSshServer> {
  const folder = await mkdtemp(path.join(tmpdir(), "codehub-sshd-"));
  const port = await freePort();
  const user = userInfo().username;
  const at = (name: string): string => path.join(folder, name);
  writeFileSync(at("git-ssh.sh"), gate(root), { mode: 0o755 });
  writeFileSync(at("authorized"), "");
  writeFileSync(at("sshd_config"), settings(address, port, folder));
  // Where sshd wants it when it is started by root.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  let hostKeys = 0;
  let hostKey = "";
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const key = makeKey(folder, `host-${hostKeys++}`);
    hostKey = key.publicKey.split(" ").slice(0, 2).join(" ");
    child = await startSshd(at("sshd_config"), key.file);
  };
  const stop = async (): Promise<void> => {
    if (child === null || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill();
    await ended;
  };
  await start();
  return {
    url: `ssh://${user}@${address}:${port}`,
    host: `${address}:${port}`,
    port,
    user,
    authorize: (publicKey) =>
      writeFileSync(at("authorized"), `restrict,command="${at("git-ssh.sh")}" ${publicKey}\n`, { flag: "a" }),
    knownHost: () => `[${address}]:${port} ${hostKey}\n`,
    changeHostKey: async () => {
      await stop();
      await start();
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const settings = (address: string, port: number, folder: string): string =>
  [
    `Port ${port}`,
    `ListenAddress ${address}`,
    `AuthorizedKeysFile ${folder}/authorized`,
    `PidFile ${folder}/pid`,
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "PermitRootLogin forced-commands-only",
    "LogLevel ERROR",
    "",
  ].join("\n");

/** It says itself when it listens. */
async function startSshd(config: string, hostKey: string): Promise<ChildProcess> {
  const args = ["-f", config, "-h", hostKey, "-D", "-e", "-o", "LogLevel=INFO"];
  const child = spawn(...diesWithUs(SSHD, args), { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  for await (const chunk of child.stderr) {
    said += String(chunk);
    if (said.includes("Server listening on")) break;
  }
  if (!said.includes("Server listening on")) throw new Error(`sshd did not start: ${said}`);
  return child;
}
