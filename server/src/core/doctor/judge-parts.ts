import { asSaid, type Finding, findingsOf } from "./finding.ts";

export type RedisSeen =
  | { readonly kind: "not_configured" }
  | { readonly kind: "answers" }
  | { readonly kind: "failed"; readonly said: string };

/** Everything is right without Redis, only slower; but who configured it wants it. */
export function judgeRedis(seen: RedisSeen): Finding {
  const finding = findingsOf("redis");
  if (seen.kind === "not_configured") return finding("ok", "redis_not_configured");
  if (seen.kind === "answers") return finding("ok", "redis_ok");
  const said = asSaid(seen.said);
  return finding("broken", /NOAUTH|WRONGPASS|NOPERM/.test(said) ? "redis_denied" : "redis_failed", { said });
}

/** The archive store, tried with an object of our own. */
export interface StoreSeen {
  readonly kind: "directory" | "s3";
  /** The directory, or the bucket. */
  readonly place: string;
  /** Why writing, reading or removing a small object did not work; null where all three did. */
  readonly trouble: { readonly code: string; readonly said: string } | null;
  /** Whose it is, as it says itself; null before the first start. */
  readonly binding: { readonly storeId: string; readonly deploymentId: string } | null;
  readonly generation: number | null;
}

/** What the database remembers, where it can be asked. */
export interface Remembered {
  readonly deploymentId: string;
  readonly runtimeKind: string | null;
  readonly engineId: string | null;
  readonly storeId: string | null;
  readonly generation: number;
  readonly quarantine: string | null;
}

const STORE_FAILURES: Readonly<Record<string, string>> = {
  EACCES: "store_denied_directory",
  EPERM: "store_denied_directory",
  EROFS: "store_read_only",
  ENOSPC: "store_full",
  NoSuchBucket: "store_no_bucket",
  SignatureDoesNotMatch: "store_denied",
  InvalidAccessKeyId: "store_denied",
  AccessDenied: "store_denied",
  Forbidden: "store_denied",
};

export function judgeStore(seen: StoreSeen, remembered: Remembered | null): Finding {
  const finding = findingsOf("store");
  const { place, trouble, binding } = seen;
  if (trouble !== null) {
    const fallback = seen.kind === "s3" ? "store_unreachable" : "store_failed";
    return finding("broken", STORE_FAILURES[trouble.code] ?? fallback, { place, said: asSaid(trouble.said) });
  }
  const expected = remembered?.storeId ?? null;
  if (binding === null)
    return expected === null ? finding("ok", "store_new", { place }) : finding("broken", "store_empty", { place });
  if (remembered === null) return finding("ok", "store_ok", { place });
  if (binding.deploymentId !== remembered.deploymentId) return finding("broken", "store_of_others", { place });
  if (expected !== null && binding.storeId !== expected) return finding("broken", "store_other", { place });
  if (remembered.quarantine !== null)
    return finding("warning", "store_quarantined", { said: asSaid(remembered.quarantine) });
  if ((seen.generation ?? 0) > remembered.generation) return finding("warning", "store_ahead", { place });
  return finding("ok", "store_ok", { place });
}
