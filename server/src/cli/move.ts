import { openPool } from "#adapters/postgres/connection.ts";
import { remember } from "#adapters/postgres/look.ts";
import { bindAnew } from "#adapters/postgres/queries/deployment/bind-anew.ts";
import { listNeededArchives } from "#adapters/postgres/queries/records/list-needed-archives.ts";
import { listOnEngine } from "#adapters/postgres/queries/workspaces/list-on-engine.ts";
import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { all, count } from "#adapters/postgres/statement.ts";
import { audit } from "#adapters/postgres/stores/audit.ts";
import type { Pool } from "#compose/database.ts";
import { lookAtRuntime, lookAtStore } from "#compose/look-at-data-plane.ts";
import { openArchives } from "#compose/world.ts";
import type { Config } from "#config/config.ts";
import type { Remembered } from "#core/doctor/judge-parts.ts";
import { type Binding, type HomeThere, judgeMove, type MoveVerdict } from "#core/moving/judge-move.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import { asLeader } from "./as-leader.ts";
import { type Given, optionsOf } from "./command.ts";
import { configuration } from "./environment.ts";
import { leaveEngine } from "./leave-engine.ts";
import { withPool } from "./operator-database.ts";

/** The deployment is bound to what is configured now, if nobody's home is left behind by it. */
export async function move(given: Given): Promise<number> {
  const config = configuration();
  return await withPool(config, async (api, url) => {
    const pool = await openPool({ url, role: COORDINATOR_ROLE, max: 4, applicationName: "codehub move" });
    try {
      return await asLeader(url, pool, async (store) => {
        const bound = await remember(api);
        const found = await answering(config, bound);
        const there = await all(api, listOnEngine, {});
        const missingArchives = await countMissingArchives(config, api, bound);
        const verdict = judgeMove({ bound, found, there, lost: optionsOf(given, "lost"), missingArchives });
        if (verdict.kind !== "move") return refuse(verdict);
        if (verdict.engine) await leaveEngine(api, store);
        await count(pool, bindAnew, { ...found });
        const actor = { kind: "system", userId: null, address: null } as const;
        const lost = verdict.lost.map(nameOf);
        await audit(pool, actor, "deployment_moved", { left: said(bound), bound: said(found), lost });
        console.log(`The deployment is bound to ${said(found)} now; it was bound to ${said(bound)}.`);
        for (const name of lost) console.log(`  given up: ${name}`);
        return EXIT.inOrder;
      });
    } finally {
      await pool.end();
    }
  });
}

/** What is configured has to answer: nobody moves to where nothing is. */
async function answering(config: Config, bound: Remembered): Promise<Binding> {
  const [engine, store] = await Promise.all([
    lookAtRuntime(config, { runtimeKind: bound.runtimeKind, deploymentId: null }),
    lookAtStore(config),
  ]);
  const trouble = engine.trouble ?? store.trouble;
  if (trouble !== null) throw new Error(`What is configured does not answer: ${trouble.said}. See codehub doctor.`);
  if (store.binding !== null && store.binding.deploymentId !== bound.deploymentId)
    throw new Error(`${store.place} belongs to another CodeHub deployment.`);
  const archives = await openArchives(config, bound.deploymentId, null);
  return { runtimeKind: engine.kind, engineId: engine.id, storeId: await archives.storeId() };
}

/** How many archives that somebody needs the configured store does not have whole. */
async function countMissingArchives(config: Config, api: Pool, { deploymentId }: Remembered): Promise<number> {
  const archives = await openArchives(config, deploymentId, null);
  const sizes = new Map((await archives.list()).map(({ key, sizeBytes }) => [key, sizeBytes]));
  const needed = await all(api, listNeededArchives, {});
  const missing = needed.filter(({ key, sizeBytes }) => sizes.get(key) !== sizeBytes);
  return missing.length;
}

const nameOf = ({ name, owner, id }: HomeThere): string => `${name} (${owner}, ${id})`;
const said = ({ runtimeKind, engineId, storeId }: Binding): string =>
  `${runtimeKind ?? "nothing"} ${engineId ?? "(bound at the next start)"} with store ${storeId ?? "none"}`;

function refuse(verdict: Exclude<MoveVerdict, { kind: "move" }>): number {
  if (verdict.kind === "nothing") {
    console.log("Nothing to do: the deployment is bound to what is configured.");
    return EXIT.inOrder;
  }
  console.error(`${REASONS[verdict.kind]} Nothing was changed.`);
  if (verdict.kind === "missing_archives") console.error(`  ${verdict.count} archives are missing`);
  else if (verdict.kind === "unclear") for (const word of verdict.words) console.error(`  ${word}`);
  else for (const home of verdict.homes) console.error(`  ${nameOf(home)}`);
  return EXIT.failed;
}

const REASONS = {
  missing_archives: "The configured store does not have every archive: copy all of them there first, with their names.",
  unclear:
    "Each --lost has to name one workspace whose home is on the former engine, by name or, where several have it, by id.",
  homes_there:
    "These homes are on the former engine. Start CodeHub as it was configured before and archive them, or give each up with --lost NAME:",
  busy: "Something is under way on the former engine. Start CodeHub as it was configured before, and wait until it is done:",
} as const;
