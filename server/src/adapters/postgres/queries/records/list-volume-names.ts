import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Volumes that may still exist. */
export const listVolumeNames = statement<Record<never, never>, { name: string }>("list-volume-names", COORDINATOR_ROLE)`
SELECT name FROM volumes WHERE state <> 'gone'
`;
