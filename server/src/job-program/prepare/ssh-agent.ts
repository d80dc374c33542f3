import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { JobFailure } from "../protocol.ts";
import { inFiles } from "./git-environment.ts";

export interface Agent {
  readonly socket: string;
  readonly end: () => void;
}

/**
 * An agent with the key that the job was given; null where it was given none. The key's file goes as soon as the agent has it.
 * The agent belongs to a program that reads until this one has gone, however it goes: then the agent goes, too.
 */
export async function startAgent(files: string | null): Promise<Agent | null> {
  const file = inFiles(files, "ssh-key");
  if (file === null) return null;
  const key = readFileSync(file);
  rmSync(file);
  const folder = mkdtempSync(join(files ?? tmpdir(), "agent-"));
  const socket = join(folder, "socket");
  const holder = spawn("ssh-agent", ["-a", socket, "sh", "-c", 'echo "$SSH_AGENT_PID"; exec cat > /dev/null'], {
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const pid = await firstLine(holder);
  const end = (): void => {
    holder.stdin.destroy();
    try {
      process.kill(pid, "SIGTERM");
    } catch {
      // It has gone already.
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await addKey(socket, key);
  } catch (error) {
    end();
    throw error;
  }
  return { socket, end };
}

async function firstLine(holder: ChildProcessByStdio<Writable, Readable, null>): Promise<number> {
  holder.stdin.on("error", () => {});
  const failed = once(holder, "error").then(([error]) => {
    throw new JobFailure("ActionFailed", `ssh-agent could not be started: ${(error as Error).message}`);
  });
  const gone = once(holder, "exit").then(() => {
    throw new JobFailure("ActionFailed", "ssh-agent ended at once");
  });
  for (const waiting of [failed, gone]) waiting.catch(() => {});
  const [line] = (await Promise.race([once(holder.stdout, "data"), failed, gone])) as [Buffer];
  return Number(line.toString("latin1").trim());
}

async function addKey(socket: string, key: Buffer): Promise<void> {
  const adding = spawn("ssh-add", ["-q", "-"], {
    env: { ...process.env, SSH_AUTH_SOCK: socket },
    stdio: ["pipe", "ignore", "pipe"],
  });
  adding.on("error", () => {});
  adding.stdin.on("error", () => {});
  adding.stdin.end(key);
  const said = text(adding.stderr);
  const [code] = (await once(adding, "close")) as [number | null];
  if (code === 0) return;
  throw new JobFailure("ActionFailed", `the agent did not take the key: ${(await said).trim().slice(0, 200)}`);
}
