import type { ContainerSeen } from "#core/rows/observation.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import type { TermContext } from "./term.ts";
import { requireOurEngine } from "./trust.ts";

/** Each is one small question to a container; those that do not answer take their time. */
const AT_ONCE = 16;

/** Looks at what every running workspace uses, and writes down what its person should know of. */
export async function measureUsage(term: TermContext): Promise<void> {
  await requireOurEngine(term);
  const [rows, containers] = await Promise.all([term.store.listWithResources(), term.world.runtime.list()]);
  const byId = new Map(containers.map((container) => [container.id, container]));
  const running = rows.flatMap((row): [Workspace, ContainerSeen][] => {
    const container = row.endpoint === null ? undefined : byId.get(row.endpoint.containerId);
    return container?.state === "running" && row.operation === "NONE" ? [[row, container]] : [];
  });
  const next = running.values();
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (const [row, container] of next) {
      if (term.signal.aborted) return;
      await measure(term, row, container);
    }
  });
  await Promise.all(workers);
}

/** One that cannot be measured costs nobody else anything; what was known of it stays. */
async function measure(term: TermContext, row: Workspace, container: ContainerSeen): Promise<void> {
  const { store, world, deps } = term;
  const used = await world.runtime.usage?.(container).catch(() => null);
  const { volume } = container;
  if (used?.disk.known !== true || volume === null) return;
  const { value } = used.disk;
  const now = term.databaseClock.now();
  // Nearly always there is nothing to write, and then nothing is asked of the database either.
  if (deps.decisions.diskSeen({ row, archives: [], volumes: [], now }, volume, value) === null) return;
  await store.mutate(row.id, (facts) => deps.decisions.diskSeen(facts, volume, value));
}
