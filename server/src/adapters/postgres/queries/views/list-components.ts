import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { ComponentView } from "#ports/views.ts";

/** What the leader last saw of the parts it depends on. */
export const listComponents = statement<Record<never, never>, ComponentView>("list-components", API_ROLE)`
SELECT name, status, detail, since, updated_at AS "updatedAt" FROM component_health ORDER BY name
`;
