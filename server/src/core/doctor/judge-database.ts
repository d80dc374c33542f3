import { asSaid, type Finding, findingsOf } from "./finding.ts";

/** What was seen of the database. */
export type DatabaseSeen =
  /** The embedded one, which is made at the first start. */
  | { readonly kind: "none_yet"; readonly directory: string }
  /** It could not be talked to; `code` is the system's or PostgreSQL's. */
  | { readonly kind: "failed"; readonly code: string; readonly said: string; readonly embedded: boolean }
  | DatabaseAnswer;

export interface DatabaseAnswer {
  readonly kind: "answers";
  /** Of PostgreSQL, as a number: 180004. */
  readonly version: number;
  readonly embedded: boolean;
  readonly login: string;
  readonly schema: { readonly known: number; readonly applied: number; readonly refusal: string | null };
  readonly roles: {
    /** Whether sessions keep what they ask for; through a pooler they do not. */
    readonly pooled: boolean;
    /** Those that the login cannot become. */
    readonly missing: readonly string[];
    /** Whether the login could make them itself. */
    readonly mayMake: boolean;
  };
  /** How far its clock is ahead of this machine's; behind is negative. */
  readonly aheadMs: number;
}

/** Leases and lifetimes are counted by the database's clock; more than this and times on pages look wrong. */
const NOTICEABLE_MS = 5_000;
/** Object stores and clusters refuse signatures and tokens that are some minutes off. */
const HARMFUL_MS = 300_000;
const OLDEST_VERSION = 140_000;

/** Which code has words of its own; everything else is told as it was said. */
const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "database_refused",
  ENOTFOUND: "database_no_host",
  EAI_AGAIN: "database_no_host",
  "28P01": "database_password",
  "28000": "database_password",
  "3D000": "database_missing",
};

/** Connecting to a name with several addresses fails with all of their errors at once. */
export function failedDatabase(error: unknown, embedded: boolean): DatabaseSeen & { readonly kind: "failed" } {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = first instanceof Error && "code" in first ? String(first.code) : "";
  return { kind: "failed", code, said: first instanceof Error ? first.message : String(first), embedded };
}

export function judgeDatabase(seen: DatabaseSeen): readonly Finding[] {
  const finding = findingsOf("database");
  if (seen.kind === "none_yet") return [finding("ok", "database_none_yet", { directory: seen.directory })];
  if (seen.kind === "failed") {
    const code = seen.embedded ? "database_embedded_failed" : (FAILURES[seen.code] ?? "database_failed");
    return [
      finding("broken", code, { said: asSaid(seen.said) }),
      findingsOf("roles")("unknown", "needs_database"),
      findingsOf("clocks")("unknown", "needs_database"),
    ];
  }
  return [judgeSchema(seen), judgeRoles(seen), judgeClocks(seen.aheadMs)];
}

function judgeSchema({ version, embedded, schema }: DatabaseAnswer): Finding {
  const finding = findingsOf("database");
  const major = Math.floor(version / 10_000);
  if (version < OLDEST_VERSION) return finding("broken", "database_old", { major });
  if (schema.refusal !== null) return finding("broken", "database_schema", { said: asSaid(schema.refusal) });
  const fields = { major, applied: schema.applied, known: schema.known };
  if (schema.applied === 0) return finding("ok", "database_empty", fields);
  if (schema.applied < schema.known) return finding("warning", "database_behind", fields);
  return finding("ok", embedded ? "database_embedded_ok" : "database_ok", fields);
}

function judgeRoles({ login, roles }: DatabaseAnswer): Finding {
  const finding = findingsOf("roles");
  if (roles.pooled) return finding("broken", "roles_pooled");
  if (roles.missing.length === 0) return finding("ok", "roles_ok");
  const fields = { login, roles: roles.missing.join(", ") };
  return roles.mayMake ? finding("ok", "roles_made_at_start", fields) : finding("broken", "roles_missing", fields);
}

function judgeClocks(aheadMs: number): Finding {
  const finding = findingsOf("clocks");
  const apart = Math.abs(aheadMs);
  const fields = { apart_ms: apart };
  if (apart < NOTICEABLE_MS) return finding("ok", "clocks_ok");
  const code = aheadMs > 0 ? "clocks_database_ahead" : "clocks_database_behind";
  return finding(apart < HARMFUL_MS ? "warning" : "broken", code, fields);
}
