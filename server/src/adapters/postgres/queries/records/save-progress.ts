import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";

type Params = {
  id: string;
  opId: string;
  step: string;
  doneBytes: number;
  totalBytes: number | null;
  doneFiles: number;
  bytesPerSecond: number | null;
  waiting: string | null;
};

/** How far the attempt has come, unless it is not the row's any more. */
export const saveProgress = statement<Params, Record<never, never>>("save-progress", COORDINATOR_ROLE)`
INSERT INTO progress (workspace_id, op_id, stage, done_bytes, total_bytes, done_files, bytes_per_second, waiting)
SELECT id, op_id, ${"step"}, ${"doneBytes"}, ${"totalBytes"}::bigint, ${"doneFiles"}, ${"bytesPerSecond"}::double precision,
  ${"waiting"}::jsonb
FROM workspaces WHERE id = ${"id"} AND op_id = ${"opId"}
ON CONFLICT (workspace_id) DO UPDATE SET
  op_id = excluded.op_id, stage = excluded.stage, done_bytes = excluded.done_bytes,
  total_bytes = excluded.total_bytes, done_files = excluded.done_files,
  bytes_per_second = excluded.bytes_per_second, waiting = excluded.waiting, updated_at = clock_timestamp()
`;
