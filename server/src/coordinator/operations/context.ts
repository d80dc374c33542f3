import type { TermContext } from "#coordinator/term.ts";
import { requireOurEngine } from "#coordinator/trust.ts";
import type { Fields } from "#core/rows/meaning.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import type { OperationName, Workspace } from "#core/rows/workspace.ts";
import type { Made } from "#core/rules/completion.ts";
import type { OPERATIONS } from "#core/rules/operations.ts";
import { failureOf, type OperationFailure } from "#ports/failure.ts";
import type { Progress } from "#ports/store.ts";
import type { World } from "#ports/world.ts";

/** What one attempt works with. The row is the one its claim returned; the attempt's id is in every name it makes. */
export interface AttemptContext {
  readonly term: TermContext;
  /** The world as this attempt may change it: not after the lease, and not after it was given up. */
  readonly world: World;
  readonly row: Workspace;
  readonly attempt: string;
  /** Aborts on timeout and when the term ends. */
  readonly signal: AbortSignal;
  /** Tells people how far it is and the watchdog that it lives. */
  readonly progress: (progress: Progress) => void;
  /** Measures a part of it, for whoever wants to see where the time goes. */
  readonly step: <T>(name: string, run: () => Promise<T>) => Promise<T>;
}

/** Acts on names that contain the attempt, verifies what was made, and tells what to commit. Writes no row. */
export type Act<Kind extends Made["kind"]> = (context: AttemptContext) => Promise<Extract<Made, { kind: Kind }>>;

/** Every act makes what the table says its operation makes. */
export type Acts = { readonly [Name in OperationName]: Act<(typeof OPERATIONS)[Name]["makes"]> };

export const failed = (failure: string, fields?: Fields, message?: string): OperationFailure =>
  failureOf("ActionFailed", failure, fields, message);

/** Home-building and starting need room; without it the host would fail in the middle of somebody's work. */
export async function requireDiskSpace({ term, world }: AttemptContext): Promise<void> {
  const { minFreeBytes, minFreeRatio } = term.deps.settings;
  const { freeBytes, totalBytes } = await world.volumes.freeSpace();
  if (freeBytes >= minFreeBytes && freeBytes >= totalBytes * minFreeRatio) return;
  throw failureOf("DiskFull", "disk_full", { free_mib: Math.floor(freeBytes / 1024 ** 2) });
}

/** Removes by id what is not this attempt's and not the recorded instance, frees the ports it held, and tells what is left. */
export async function removeLeftovers({
  term,
  world,
  row,
}: Pick<AttemptContext, "term" | "world" | "row">): Promise<readonly ContainerSeen[]> {
  const { decisions, settings } = term.deps;
  const containers = await world.runtime.inspect(row.id);
  const { leftovers = [], left = [] } = Object.groupBy(containers, (one) =>
    decisions.isLeftover(row, one) ? "leftovers" : "left",
  );
  for (const container of leftovers) await world.runtime.remove(container.id, settings.stopGraceSeconds);
  await term.store.releasePorts(row.id, row.endpoint?.attempt ?? row.opId);
  return left;
}

/** Archiving and letting go of a home need that nobody can write to it, also not a container that was only created. */
export async function requireNoContainer({ term, world, row }: AttemptContext): Promise<void> {
  await requireOurEngine(term);
  const containers = await world.runtime.inspect(row.id);
  if (containers.length > 0) throw failed("container_present", { container: containers[0]?.id ?? null });
}
