import { insertEvent } from "#adapters/postgres/queries/records/insert-event.ts";
import { eventParams } from "#adapters/postgres/rows/event-row.ts";
import { count, type Queryable } from "#adapters/postgres/statement.ts";
import type { EventLine } from "#core/rows/mutation.ts";
import type { Workspace } from "#core/rows/workspace.ts";

/** Lines of a workspace's history, written in the transaction they tell about. */
export async function insertLines(tx: Queryable, row: Workspace | null, lines: readonly EventLine[]): Promise<void> {
  for (const line of lines) {
    await count(tx, insertEvent, eventParams(line, row));
  }
}
