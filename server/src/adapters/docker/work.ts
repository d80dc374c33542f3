import { countedBytes } from "#adapters/runtime-parts/counted-bytes.ts";
import { inTurns } from "#adapters/runtime-parts/in-turns.ts";
import { type ContainerSeen, type Seen, seen, unseen } from "#core/rows/observation.ts";
import type { UsageSeen } from "#core/rules/usage.ts";
import type { Engine } from "./engine.ts";
import { execute } from "./exec.ts";

type Work = Pick<UsageSeen, "cpu" | "memoryBytes">;

const AT_ONCE = 16;
const STATS_LIMIT_MS = 5_000;
const HOME = "/home/coder";
const HOME_LIMIT_SECONDS = 30;

interface Stats {
  readonly cpu_stats?: { readonly cpu_usage?: { readonly total_usage?: number } };
  readonly memory_stats?: { readonly usage?: number; readonly stats?: Readonly<Record<string, number>> };
}

/** What the engine counts of each of them. It has no question for several at once; one that does not answer holds up no other. */
export async function workOf(engine: Engine, containers: readonly ContainerSeen[]): Promise<ReadonlyMap<string, Work>> {
  const work = new Map<string, Work>();
  const query = { stream: "false", "one-shot": "true" };
  await inTurns(containers, AT_ONCE, async ({ id }) => {
    const stats = await engine
      .call<Stats>("GET", `/containers/${id}/stats`, { query, timeoutMs: STATS_LIMIT_MS })
      .catch(() => null);
    work.set(id, stats === null ? SILENT : workIn(stats));
  });
  return work;
}

const SILENT: Work = { cpu: unseen("unanswered"), memoryBytes: unseen("unanswered") };

/** Pages of files that can be dropped at any moment are nobody's need, as `docker stats` has it too. */
export function workIn({ cpu_stats: cpu, memory_stats: memory }: Stats): Work {
  const busyNs = cpu?.cpu_usage?.total_usage;
  const held = memory?.usage;
  const { inactive_file: bare = 0, total_inactive_file: droppable = bare } = memory?.stats ?? {};
  return {
    // A container that is ending has no counters any more, which the engine writes as 0.
    cpu: busyNs === undefined || busyNs === 0 ? unseen("not_counted") : seen({ totalMs: busyNs / 1e6 }),
    memoryBytes: held === undefined || held === 0 ? unseen("not_counted") : seen(Math.max(0, held - droppable)),
  };
}

/** Small images have no `nice`, and some no `timeout`: what there is, is used. */
const COUNT = [
  `c="du -skx ${HOME}"`,
  'if command -v nice > /dev/null; then c="nice -n 19 $c"; fi',
  `if command -v timeout > /dev/null; then c="timeout -s KILL ${HOME_LIMIT_SECONDS} $c"; fi`,
  "exec $c",
].join("\n");

/** What the files of a home take. Its own user counts them, whenever nobody else has something to do. */
export async function countHome(engine: Engine, id: string): Promise<Seen<number>> {
  const began = performance.now();
  const printed = await execute(engine, id, ["/bin/sh", "-c", COUNT], (HOME_LIMIT_SECONDS + 5) * 1_000).catch(() => "");
  if (printed === "" && performance.now() - began >= HOME_LIMIT_SECONDS * 1_000) return unseen("too_many_files");
  return countedBytes(printed);
}
