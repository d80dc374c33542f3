import { text } from "node:stream/consumers";
import type { Engine } from "./engine.ts";
import { splitFrames } from "./frames.ts";

const LIMIT_MS = 5_000;

/** Runs a short command inside a container, as its user, and gives what it printed. */
export async function execute(
  engine: Engine,
  containerId: string,
  command: readonly string[],
  limitMs: number = LIMIT_MS,
): Promise<string> {
  const body = { Cmd: command, AttachStdout: true, AttachStderr: true };
  const { Id } = await engine.need<{ Id: string }>("POST", `/containers/${containerId}/exec`, { body });
  const signal = AbortSignal.timeout(limitMs);
  const stream = await engine.stream("POST", `/exec/${Id}/start`, { body: { Detach: false, Tty: false }, signal });
  const { stdout, stderr } = splitFrames(stream);
  stderr.resume();
  return await text(stdout);
}
