import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { ComponentView } from "#ports/views.ts";

type Row = {
  name: string;
  status: ComponentView["status"];
  detail: string;
  since: Ms;
  updated_at: Ms;
};

/** What the leader last saw of the parts it depends on. */
export const listComponents = statement<Record<never, never>, Row>("list-components", API_ROLE)`
SELECT name, status, detail, since, updated_at FROM component_health ORDER BY name
`;
