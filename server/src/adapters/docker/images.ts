import { jsonLines } from "#adapters/runtime-parts/json-lines.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { OnWaiting, StartWaiting } from "#ports/runtime.ts";
import type { PullCredential } from "#ports/start-extras.ts";
import type { Engine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";

const STALL_MS = 120_000;

export const hasImage = async (engine: Engine, imageRef: string): Promise<boolean> =>
  (await engine.call("GET", `/images/${imageRef}/json`)) !== null;

/** What the image runs by itself. */
export async function programOf(engine: Engine, imageRef: string): Promise<readonly string[]> {
  const { Config } = await engine.need<{ Config: { Entrypoint?: string[] | null; Cmd?: string[] | null } }>(
    "GET",
    `/images/${imageRef}/json`,
  );
  return [...(Config.Entrypoint ?? []), ...(Config.Cmd ?? [])];
}

interface PullLine {
  readonly status?: string;
  readonly id?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
  readonly error?: string;
}

/** The engine answers 200 and tells of a failure in the stream: only a stream without one, and the image, is success. */
export async function pullImage(
  engine: Engine,
  imageRef: string,
  onWaiting: OnWaiting,
  signal: AbortSignal,
  credential?: PullCredential,
): Promise<void> {
  const layers: Layers = new Map();
  const since = Date.now();
  const stalled = new AbortController();
  let timer = setTimeout(() => stalled.abort(), STALL_MS);
  try {
    const stream = await engine.stream("POST", "/images/create", {
      query: { fromImage: withTag(imageRef) },
      ...(credential === undefined ? {} : { headers: { "X-Registry-Auth": encoded(credential) } }),
      timeoutMs: STALL_MS,
      signal: AbortSignal.any([signal, stalled.signal]),
    });
    for await (const line of jsonLines<PullLine>(stream)) {
      clearTimeout(timer);
      timer = setTimeout(() => stalled.abort(), STALL_MS);
      if (line.error !== undefined) throw new EngineError(0, line.error);
      const { current, total } = line.progressDetail ?? {};
      if (line.id !== undefined && current !== undefined && total !== undefined && line.status === "Downloading") {
        layers.set(line.id, { current, total });
      }
      onWaiting(pulling(layers, since));
    }
  } catch (error) {
    signal.throwIfAborted();
    if (stalled.signal.aborted) throw pullFailed(imageRef, "nothing was received for two minutes", error);
    if (error instanceof EngineError) throw pullFailed(imageRef, error.message, error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
  if (!(await hasImage(engine, imageRef))) throw pullFailed(imageRef, "it is not there after the pull", null);
}

function encoded({ registry, user, password }: PullCredential): string {
  return Buffer.from(JSON.stringify({ username: user, password, serveraddress: registry })).toString("base64url");
}

function pullFailed(imageRef: string, why: string, cause: unknown): OperationFailure {
  return new OperationFailure("ImagePullFailed", `The image ${imageRef} could not be pulled: ${why}`, { cause });
}

/** Without a tag the engine would pull every tag there is. */
function withTag(imageRef: string): string {
  const name = imageRef.slice(imageRef.lastIndexOf("/") + 1);
  return name.includes(":") || name.includes("@") ? imageRef : `${imageRef}:latest`;
}

type Layers = Map<string, { readonly current: number; readonly total: number }>;

function pulling(layers: Layers, since: number): StartWaiting {
  let doneBytes = 0;
  let totalBytes = 0;
  for (const layer of layers.values()) {
    doneBytes += layer.current;
    totalBytes += layer.total;
  }
  const fields = { done_bytes: doneBytes, total_bytes: totalBytes === 0 ? null : totalBytes };
  return { code: "pulling", fields, since };
}
