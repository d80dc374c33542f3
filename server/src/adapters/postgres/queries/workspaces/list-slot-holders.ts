import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { SlotHolder } from "#ports/views.ts";

/** Who holds a running slot, the idlest first. */
export const listSlotHolders = statement<{ ownerId: string | null }, SlotHolder>("list-slot-holders", API_ROLE)`
SELECT id, name, phase, last_access_at AS "lastAccessAt" FROM workspaces
WHERE holds_slot AND (${"ownerId"}::uuid IS NULL OR owner_id = ${"ownerId"})
ORDER BY last_access_at, id
`;
