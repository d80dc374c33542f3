import type pg from "pg";
import { inTransaction } from "#adapters/postgres/connection.ts";
import { resumeCollection } from "#adapters/postgres/queries/deployment/resume-collection.ts";
import { count } from "#adapters/postgres/statement.ts";
import { audit } from "./audit.ts";

/** Ends the quarantine of garbage collection and reaper, by an administrator's word. */
export async function resumeGarbageCollection(pool: pg.Pool, actorId: string, generation: number): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await count(tx, resumeCollection, { generation });
    const actor = { kind: "admin", userId: actorId, address: null } as const;
    await audit(tx, actor, "gc_resumed", { generation });
  });
}
