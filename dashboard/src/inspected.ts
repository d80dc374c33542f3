import { ApiError, type Repository } from "@codehub/contract";
import { useEffect, useState } from "react";
import { api, problemText } from "./api.ts";

/** While somebody types, nobody wants to know what each letter stands for. */
const settledMs = 250;

export type Inspected =
  | { readonly kind: "nothing" | "reading" }
  | { readonly kind: "found"; readonly repository: Repository }
  | { readonly kind: "refused"; readonly why: string };

export const inspect = (address: string, signal?: AbortSignal): Promise<Repository> =>
  api.inspectRepository({ body: { address } }, signal === undefined ? {} : { signal });

/** What the address stands for, read by the server as it is typed or pasted; an answer that is outdated is dropped. */
export function useInspected(address: string): Inspected {
  const text = address.trim();
  const [read, setRead] = useState<{ readonly text: string; readonly of: Inspected } | null>(null);
  useEffect(() => {
    if (text === "") return undefined;
    const turn = new AbortController();
    const tell = (of: Inspected) => {
      if (!turn.signal.aborted) setRead({ text, of });
    };
    const timer = setTimeout(() => {
      inspect(text, turn.signal).then(
        (repository) => tell({ kind: "found", repository }),
        (error: unknown) => tell({ kind: "refused", why: reasonOf(error) }),
      );
    }, settledMs);
    return () => {
      clearTimeout(timer);
      turn.abort();
    };
  }, [text]);
  if (text === "") return { kind: "nothing" };
  return read?.text === text ? read.of : { kind: "reading" };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) return "The page itself failed to ask.";
  const { problem } = error.details;
  return error.code === "REPOSITORY_REFUSED" && typeof problem === "string" ? problem : problemText(error);
}
