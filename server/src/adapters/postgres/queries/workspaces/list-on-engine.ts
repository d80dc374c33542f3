import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

interface OnEngine {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly hasHome: boolean;
  readonly busy: boolean;
}

/** Every workspace of which the row says that something is on the engine: a home, a container, an operation, a volume. */
export const listOnEngine = statement<Record<never, never>, OnEngine>("list-on-engine", API_ROLE)`
SELECT w.id, w.name, u.username AS owner, w.home_volume IS NOT NULL AS "hasHome",
  w.endpoint IS NOT NULL OR w.operation <> 'NONE' AS busy
FROM workspaces AS w JOIN users AS u ON u.id = w.owner_id
WHERE w.home_volume IS NOT NULL OR w.endpoint IS NOT NULL OR w.operation <> 'NONE'
  OR EXISTS (SELECT FROM volumes AS v WHERE v.workspace_id = w.id AND v.state <> 'gone')
ORDER BY w.name, w.id
`;
