import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Rows that another key sealed than this one, after a certain id, with where each belongs. */
export const listSealedOtherwise = statement<
  { keyId: string; after: string; limit: number },
  {
    kept: "credentials" | "variables";
    owner: string;
    scope: string;
    name: string;
    id: string;
    keyId: string;
    wrapped: Uint8Array;
    box: Uint8Array;
  }
>("list-sealed-otherwise", API_ROLE)`
SELECT * FROM (
  SELECT 'credentials' AS kept, user_id::text AS owner, kind AS scope, host AS name, id, key_id AS "keyId", wrapped, box
  FROM credentials WHERE key_id <> ${"keyId"}
  UNION ALL
  SELECT 'variables', user_id::text, coalesce(workspace_id::text, 'user'), name, id, key_id, wrapped, box
  FROM variables WHERE key_id <> ${"keyId"}
) AS sealed
WHERE id > ${"after"}::uuid ORDER BY id LIMIT ${"limit"}::integer
`;
