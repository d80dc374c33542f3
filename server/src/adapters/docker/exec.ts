import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { type HearLimits, heard } from "#adapters/runtime-parts/home-space.ts";
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
  return await text(await begin(engine, containerId, command, AbortSignal.timeout(limitMs)));
}

/** The same with a command that may take long or say much: what it said within the limits. It ends by itself. */
export async function listen(
  engine: Engine,
  containerId: string,
  command: readonly string[],
  limits: HearLimits,
): Promise<string> {
  const enough = new AbortController();
  try {
    return await heard(await begin(engine, containerId, command, enough.signal), limits);
  } finally {
    enough.abort();
  }
}

async function begin(
  engine: Engine,
  containerId: string,
  command: readonly string[],
  signal: AbortSignal,
): Promise<Readable> {
  const body = { Cmd: command, AttachStdout: true, AttachStderr: true };
  const { Id } = await engine.need<{ Id: string }>("POST", `/containers/${containerId}/exec`, { body });
  const stream = await engine.stream("POST", `/exec/${Id}/start`, { body: { Detach: false, Tty: false }, signal });
  const { stdout, stderr } = splitFrames(stream);
  stderr.resume();
  return stdout;
}
