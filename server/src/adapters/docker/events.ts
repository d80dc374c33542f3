import { jsonLines } from "#adapters/runtime-parts/json-lines.ts";
import type { Engine } from "./engine.ts";
import { WORKSPACE } from "./labels.ts";

interface EngineEvent {
  readonly timeNano?: number;
  readonly Actor?: { readonly Attributes?: Readonly<Record<string, string>> };
}

export interface EventHandlers {
  readonly onHint: (workspaceId: string) => void;
  readonly onReconnect: () => void;
}

const RETRY_MS = 1_000;
/** Where the stream was cut we go on from the last event seen, and hear it twice rather than miss the next one. */
const NANOS_PER_SECOND = 1_000_000_000;

/** Follows the engine's events until the signal aborts, across restarts of the engine. Hints only: nothing depends on one. */
export async function watchEvents(
  engine: Engine,
  filters: string,
  handlers: EventHandlers,
  signal: AbortSignal,
): Promise<void> {
  let since: string | null = null;
  while (!signal.aborted) {
    try {
      const query: Record<string, string> = since === null ? { filters } : { filters, since };
      const stream = await engine.stream("GET", "/events", { query, signal });
      for await (const event of jsonLines<EngineEvent>(stream)) {
        if (event.timeNano !== undefined) since = (event.timeNano / NANOS_PER_SECOND).toFixed(6);
        const workspaceId = event.Actor?.Attributes?.[WORKSPACE];
        if (workspaceId !== undefined) handlers.onHint(workspaceId);
      }
    } catch {
      // The engine is away: it is asked again until it is back or nobody wants to know.
    }
    if (signal.aborted) return;
    handlers.onReconnect();
    await pause(signal);
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", go);
      resolve();
    };
    const timer = setTimeout(go, RETRY_MS);
    signal.addEventListener("abort", go, { once: true });
  });
}
