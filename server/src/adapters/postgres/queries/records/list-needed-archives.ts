import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

/** Archives that something was promised about. */
export const listNeededArchives = statement<Record<never, never>, { key: string; sizeBytes: number }>(
  "list-needed-archives",
  API_ROLE,
)`
SELECT key, size_bytes AS "sizeBytes" FROM archives WHERE state <> 'orphan'
`;
