import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";

/** What this user has asked lately, and what is not answered. */
export const listAskedChecks = statement<{ userId: string; withinMs: number }, { askedAt: Ms; isOpen: boolean }>(
  "list-asked-checks",
  API_ROLE,
)`
SELECT asked_at AS "askedAt", state <> 'done' AS "isOpen" FROM credential_checks
WHERE user_id = ${"userId"}
  AND (state <> 'done' OR asked_at > now() - ${"withinMs"}::double precision * interval '1 millisecond')
`;
