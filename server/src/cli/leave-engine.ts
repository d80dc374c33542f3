import { listOnEngine } from "#adapters/postgres/queries/workspaces/list-on-engine.ts";
import { all } from "#adapters/postgres/statement.ts";
import type { Pool } from "#compose/database.ts";
import { fateOf, giveUpEngine, type HomeFate } from "#core/moving/give-up-engine.ts";
import type { LeaderStore } from "#ports/store.ts";

/** Workspaces by what became of their homes. */
export type Fates = Readonly<Record<HomeFate, readonly string[]>>;

/** Forgets everything that the rows say is on the engine. `api` reads, the leader writes. */
export async function leaveEngine(api: Pool, store: LeaderStore): Promise<Fates> {
  const fates: Record<HomeFate, string[]> = { elsewhere: [], archive: [], lost: [] };
  for (const { id, name, owner, hasHome } of await all(api, listOnEngine, {})) {
    await store.mutate(id, (facts) => {
      const fate = fateOf(facts);
      if (hasHome) fates[fate].push(`${name} (${owner})`);
      return giveUpEngine(facts);
    });
    await store.releasePorts(id, null);
  }
  return fates;
}
