import { useEffect } from "react";
import { isPassing, problemText } from "./api.ts";
import type { Query } from "./hooks/use-query.ts";
import { Notice, Spinner } from "./ui/basics.tsx";

const AGAIN_MS = 5_000;

interface Props {
  readonly query: Pick<Query<unknown>, "data" | "error" | "reload">;
  /** What is said where there is nothing to show: "The users cannot be loaded". */
  readonly title: string;
  readonly loading: string;
  /** In a card among others: one line. */
  readonly small?: boolean;
}

/**
 * Beside what the server was asked for: that it is on its way, or why it is not there or old. What passes by itself is asked for
 * again by itself, so that nobody has to load the page anew because the server was away for a moment.
 */
export function NotThere({ query: { data, error, reload }, title, loading, small = false }: Props) {
  const passing = error !== null && isPassing(error);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each failure is a reason to wait and ask once more.
  useEffect(() => {
    if (!passing) return undefined;
    const timer = setTimeout(reload, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [passing, reload, error]);

  if (error === null) return data === null ? <Spinner label={loading} small={small} /> : null;
  const again = (
    <button type="button" className="btn btn-small" onClick={reload}>
      Try now
    </button>
  );
  const told = data === null ? title : "This may be out of date";
  const why =
    passing && error.code !== "INTERNAL" ? `${error.message} This is tried again by itself.` : problemText(error);
  if (small)
    return (
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2 text-sm">
        <p className="min-w-0 flex-1 basis-48 text-ink-2">
          <strong className="font-semibold text-error">{told}.</strong> {why}
        </p>
        {again}
      </div>
    );
  return (
    <div className="mb-4">
      <Notice tone={data === null ? "error" : "warning"} title={told} live actions={again}>
        {why}
      </Notice>
    </div>
  );
}
