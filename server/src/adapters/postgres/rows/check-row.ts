import { columns, type Fragment } from "#adapters/postgres/statement.ts";
import type { Fields } from "#core/rows/meaning.ts";
import type { CheckRecord } from "#ports/checks.ts";

/** What the one who asked may read. */
export interface CheckRow extends Omit<CheckRecord, "outcome"> {
  readonly code: string | null;
  readonly fields: Fields | null;
}

export const CHECK_COLUMNS: Fragment = columns("c", ["id", "host", "state", "askedAt", "finishedAt", "code", "fields"]);
