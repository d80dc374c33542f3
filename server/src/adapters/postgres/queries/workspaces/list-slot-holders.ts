import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { Ms, Phase } from "#core/rows/workspace.ts";

/** Who holds a running slot, the idlest first. */
export const listSlotHolders = statement<
  { ownerId: string | null },
  { id: string; name: string; phase: Phase; last_access_at: Ms }
>("list-slot-holders", API_ROLE)`
SELECT id, name, phase, last_access_at FROM workspaces
WHERE holds_slot AND (${"ownerId"}::uuid IS NULL OR owner_id = ${"ownerId"})
ORDER BY last_access_at, id
`;
