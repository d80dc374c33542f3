import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Remembered } from "#core/notices/due.ts";

/** What a channel remembers. */
export const listNotices = statement<{ channel: string }, Remembered>("list-notices", COORDINATOR_ROLE)`
SELECT key, id, code, fields, path, seen_at AS "seenAt", told_at AS "toldAt", gone_at AS "goneAt", tries, next_try_at AS "nextTryAt"
FROM notices WHERE channel = ${"channel"} ORDER BY seen_at, key
`;
