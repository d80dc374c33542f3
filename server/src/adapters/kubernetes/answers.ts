import { OperationFailure } from "#ports/failure.ts";

/** What an API server sends with every refusal. */
export interface Status {
  readonly kind: "Status";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: {
    readonly name?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string }[];
  };
}

/** An answer that is not a success, as it came. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The header, if there was one. */
  readonly retryAfter: string | undefined;
}

/**
 * - `absent`: positively not there.
 * - `exists`: the name is taken.
 * - `conflict`: it is there, but not the one that was meant (uid) or not as it was read (resource version).
 * - `expired`: the version that was asked for is no longer kept; to be asked again from the beginning.
 * - `busy`: not done, and worth asking again.
 * - `unclear`: whether it was done is not known.
 * - `quota`: no room; that may change by itself.
 * - `refused`: asked again it would say the same.
 */
export type Meaning = "absent" | "exists" | "conflict" | "expired" | "busy" | "unclear" | "quota" | "refused";

const EXCEEDED = /exceeded quota: ([^,\s]+)/;

export function meaningOf(answer: Answer): Meaning {
  const status = statusOf(answer.body);
  // Something between us and the cluster says such things too, and it does not know what is there.
  if (status === null) return answer.status === 429 ? "busy" : "unclear";
  switch (answer.status) {
    case 404:
      return status.reason === "NotFound" && status.details?.name !== undefined ? "absent" : "unclear";
    case 409:
      return status.reason === "AlreadyExists" ? "exists" : "conflict";
    case 410:
      return "expired";
    case 429:
      return "busy";
    case 403:
      return EXCEEDED.test(status.message ?? "") ? "quota" : "refused";
    // Credentials that are not accepted today may be tomorrow, and say nothing about what was asked.
    case 401:
      return "unclear";
    default:
      return answer.status >= 500 ? "unclear" : "refused";
  }
}

/** The answer was no, or not one at all. */
export class ClusterError extends OperationFailure {
  readonly meaning: Meaning;

  constructor(answer: Answer, what: string) {
    const meaning = meaningOf(answer);
    const passes = meaning === "busy" || meaning === "unclear" || meaning === "quota" || meaning === "expired";
    super(passes ? "Unreachable" : "ActionFailed", `${what}: ${wordsOf(answer, meaning)}`);
    this.meaning = meaning;
  }
}

export const means = (error: unknown, ...meanings: readonly Meaning[]): boolean =>
  error instanceof ClusterError && meanings.includes(error.meaning);

function wordsOf({ status, body }: Answer, meaning: Meaning): string {
  const said = statusOf(body)?.message ?? `${status} ${body.trim().slice(0, 300)}`;
  if (meaning === "quota") {
    const [, name = ""] = EXCEEDED.exec(said) ?? [];
    return `the quota ${name} of the cluster leaves no room: ${said}`;
  }
  if (status === 401) return `the cluster does not accept our credentials: ${said}`;
  if (status === 403 && /\bcannot \w+ resource\b/.test(said)) return `the Role does not allow it: ${said}`;
  if (meaning === "busy") return `the cluster has too much to do: ${said}`;
  return said;
}

function statusOf(body: string): Status | null {
  try {
    const value = JSON.parse(body) as Partial<Status> | null;
    return value?.kind === "Status" ? (value as Status) : null;
  } catch {
    return null;
  }
}

/** No answer, or half of one: whether anything was done is not known, and the cause may go away by itself. */
export function unreachable(cluster: string, cause: Error): OperationFailure {
  const late = cause.name === "AbortError" || cause.name === "TimeoutError";
  const why = late ? "it does not answer in time" : cause.message;
  return new OperationFailure("Unreachable", `The cluster at ${cluster} cannot be used: ${why}`, { cause });
}

/** How long the cluster wants to be left alone; null when it did not say. */
export function retryAfterMs({ retryAfter, body }: Answer): number | null {
  const seconds = Number(retryAfter ?? statusOf(body)?.details?.retryAfterSeconds ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, LONGEST_WISH_MS) : null;
}

const LONGEST_WISH_MS = 60_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/** Longer with every try and never the same for two who were refused together; never shorter than was asked for. */
export function pauseMs(tries: number, askedMs: number | null, random: number): number {
  const backoff = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS) * (0.5 + random / 2);
  return askedMs === null ? backoff : askedMs + backoff * random;
}
