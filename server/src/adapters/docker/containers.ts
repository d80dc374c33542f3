import { failureOf } from "#ports/failure.ts";
import type { CallOptions, Engine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";
import { hasImage } from "./images.ts";

/** What the engine's list and inspect tell, as far as we read it. */
export interface ListedContainer {
  readonly Id: string;
  readonly State: string;
  readonly Status: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Mounts: readonly { readonly Type: string; readonly Name?: string }[];
  readonly NetworkSettings: NetworkSettings;
}

interface NetworkSettings {
  readonly Networks: Readonly<Record<string, { readonly IPAddress?: string; readonly MacAddress?: string }>>;
}

export interface InspectedContainer {
  readonly Id: string;
  readonly State: {
    readonly Status: string;
    readonly Running: boolean;
    readonly ExitCode: number;
    readonly OOMKilled?: boolean;
  };
  readonly Config: { readonly Labels: Readonly<Record<string, string>> };
  readonly NetworkSettings: NetworkSettings;
}

export const inspectContainer = (engine: Engine, id: string): Promise<InspectedContainer | null> =>
  engine.call("GET", `/containers/${encodeURIComponent(id)}/json`);

/** By force, until the engine says that there is no such container. */
export async function removeContainer(engine: Engine, id: string): Promise<void> {
  const path = `/containers/${encodeURIComponent(id)}`;
  const deadline = performance.now() + 60_000;
  for (;;) {
    try {
      // Anonymous volumes go with it; named ones, which all of ours are, never do.
      const answer = await engine.call("DELETE", path, { query: { force: "true", v: "true" }, timeoutMs: 60_000 });
      if (answer === null) return;
    } catch (error) {
      // 409: its removal is under way already.
      if (!(error instanceof EngineError) || error.status !== 409 || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Makes a container and gives its id. An image that is not there is told as that: the engine says "not found" of everything. */
export async function createContainer(
  engine: Engine,
  body: { readonly Image: string },
  options: Pick<CallOptions, "query" | "signal"> & { readonly use: "job" | "workspace" },
): Promise<string> {
  const { use, ...call } = options;
  const made = await engine.call<{ Id: string }>("POST", "/containers/create", { ...call, body });
  if (made !== null) return made.Id;
  const { Image: image } = body;
  if (await hasImage(engine, image)) throw new EngineError(404, "what the container is to be made of is not there");
  throw use === "job"
    ? failureOf("ActionFailed", "job_image_missing", { image })
    : failureOf("ImagePullFailed", "image_missing", { image });
}

/** Runs a container of ours to its end and gives its output; rejects unless it ended well. */
export async function runToEnd(
  engine: Engine,
  config: { readonly Image: string },
  what: string,
  timeoutMs: number,
): Promise<string> {
  const id = await createContainer(engine, config, { use: "job" });
  try {
    await engine.need("POST", `/containers/${id}/start`, { timeoutMs });
    const exit = await engine.need<{ StatusCode: number }>("POST", `/containers/${id}/wait`, { timeoutMs });
    const output = await readLogs(engine, id, 50);
    if (exit.StatusCode !== 0)
      throw new EngineError(0, `${what} failed with code ${exit.StatusCode}: ${output.trim()}`);
    return output;
  } finally {
    await removeContainer(engine, id);
  }
}

const LOG_LIMIT_BYTES = 1024 * 1024;

/** The last lines of output; both streams in the order in which they came. */
export async function readLogs(engine: Engine, id: string, lines: number): Promise<string> {
  const query = { stdout: "1", stderr: "1", tail: String(lines) };
  const stream = await engine.stream("GET", `/containers/${encodeURIComponent(id)}/logs`, {
    query,
    signal: AbortSignal.timeout(10_000),
  });
  let raw = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    raw = Buffer.concat([raw, chunk]);
    if (raw.length > LOG_LIMIT_BYTES) break;
  }
  const parts: Buffer[] = [];
  for (let offset = 0; offset + 8 <= raw.length; ) {
    const length = raw.readUInt32BE(offset + 4);
    parts.push(raw.subarray(offset + 8, offset + 8 + length));
    offset += 8 + length;
  }
  return Buffer.concat(parts).toString("utf8");
}
