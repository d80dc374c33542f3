import { ApiError } from "@codehub/contract";
import { useCallback, useEffect, useRef, useState } from "react";

export interface Query<T> {
  readonly data: T | null;
  /** The last failure; data then is the last good answer, and the page says how old it is. */
  readonly error: ApiError | null;
  readonly loading: boolean;
  readonly reload: () => void;
}

const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, { message: "The page itself failed to ask." }, null, error);

export interface QueryOptions {
  /** Ask again and again while the tab is visible. */
  readonly repeatMs?: number;
  /** Ask again when this changes, and show the old answer until the new one is there. */
  readonly refreshOn?: string | number;
}

/** Asked before there was a page to ask; each answer is for the first that wants it. */
const ahead = new Map<string, Promise<unknown>>();

/** Asks what a page is about to ask with this key. One that is refused is asked again by the page, which says so. */
export function askAhead<T>(key: string, ask: () => Promise<T>): void {
  const answer = ask();
  answer.catch(() => ahead.delete(key));
  ahead.set(key, answer);
}

export const forgetAhead = (): void => ahead.clear();

function takeAhead<T>(key: string): Promise<T> | undefined {
  const answer = ahead.get(key);
  ahead.delete(key);
  // Whoever asked ahead did so with the same key, which says what is asked.
  return answer as Promise<T> | undefined;
}

/** Asks when `key` changes, which starts anew. Late answers are dropped, and whoever gives them can know from the signal. */
export function useQuery<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
  options: QueryOptions = {},
): Query<T> {
  const { repeatMs = null, refreshOn = 0 } = options;
  const [state, setState] = useState<{ key: string; data: T | null; error: ApiError | null; loading: boolean }>({
    key,
    data: null,
    error: null,
    loading: true,
  });
  const latest = useRef(ask);
  latest.current = ask;
  const turn = useRef(new AbortController());

  const run = useCallback(async () => {
    turn.current.abort();
    turn.current = new AbortController();
    const { signal } = turn.current;
    try {
      const early = takeAhead<T>(key)?.catch(() => latest.current(signal));
      const data = await (early ?? latest.current(signal));
      if (!signal.aborted) setState({ key, data, error: null, loading: false });
    } catch (error) {
      if (signal.aborted) return;
      setState((old) => ({
        key,
        data: old.key === key ? old.data : null,
        error: asApiError(error),
        loading: false,
      }));
    }
  }, [key]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: refreshOn is there to ask again, not to be read.
  useEffect(() => {
    void run();
    if (repeatMs === null) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void run();
    }, repeatMs);
    return () => clearInterval(timer);
  }, [run, repeatMs, refreshOn]);

  const current = state.key === key;
  return {
    data: current ? state.data : null,
    error: current ? state.error : null,
    loading: !current || state.loading,
    reload: useCallback(() => void run(), [run]),
  };
}
