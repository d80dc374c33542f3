import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Phase } from "#core/rows/workspace.ts";

/** How many workspaces are in each phase. */
export const countPhases = statement<Record<never, never>, { phase: Phase; count: number }>("count-phases", API_ROLE)`
SELECT phase, count(*) AS count FROM workspaces GROUP BY phase
`;
