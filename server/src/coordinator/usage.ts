import { type ContainerSeen, type Seen, unseen } from "#core/rows/observation.ts";
import type { Ms, Workspace } from "#core/rows/workspace.ts";
import { type CpuReading, sampleOf, type UsageSample, type UsageSeen } from "#core/rules/usage.ts";
import type { TermContext } from "./term.ts";
import { requireOurEngine } from "./trust.ts";

/** Homes are counted beside everything else that the machine does. */
const HOMES_AT_ONCE = 2;

interface HomeCount {
  readonly volume: string;
  readonly at: Ms;
  readonly bytes: Seen<number>;
}

/** Looks at what every running workspace uses, and writes it down. One for each term: it remembers the look before. */
export class UsageWatch {
  readonly #term: TermContext;
  #readings = new Map<string, CpuReading>();
  #homes = new Map<string, HomeCount>();
  #running: readonly ContainerSeen[] = [];

  constructor(term: TermContext) {
    this.#term = term;
  }

  /** One look at all of them and one statement for all of them, however many there are. */
  async sample(): Promise<void> {
    const { store, world, deps, signal } = this.#term;
    await requireOurEngine(this.#term);
    const [rows, containers] = await Promise.all([store.listWithResources(), world.runtime.list()]);
    const byId = new Map(containers.map((container) => [container.id, container]));
    const running = rows.flatMap((row): [Workspace, ContainerSeen][] => {
      const container = row.endpoint === null ? undefined : byId.get(row.endpoint.containerId);
      return container?.state === "running" && row.operation === "NONE" ? [[row, container]] : [];
    });
    this.#running = running.map(([, container]) => container);
    if (running.length === 0) return this.#forget();
    const used = (await world.runtime.usage?.(this.#running)) ?? new Map<string, UsageSeen>();
    if (signal.aborted) return;
    const at = deps.clock.monotonicMs();
    const looks = running.map(([row, container]) =>
      sampleOf({
        workspaceId: row.id,
        containerId: container.id,
        at,
        seen: used.get(container.id) ?? null,
        home: this.#homeOf(container),
        before: this.#readings.get(container.id) ?? null,
      }),
    );
    this.#forget();
    for (const { reading } of looks) if (reading !== null) this.#readings.set(reading.containerId, reading);
    await store.saveUsage(looks.map(({ sample }) => sample));
    for (const [index, [row, container]] of running.entries()) {
      if (signal.aborted) return;
      await this.#noteDisk(row, container, looks[index]?.sample.disk ?? null);
    }
  }

  /** Counts homes anew whose size is too old, those that nobody has counted yet before all others. */
  async countHomes(): Promise<void> {
    const { world, deps, signal } = this.#term;
    const { clock, settings } = deps;
    const now = clock.monotonicMs();
    const due = this.#running
      .map((container) => ({ container, at: this.#known(container)?.at ?? null }))
      .filter(({ at }) => at === null || now - at >= settings.homeSizeAgeMs)
      .sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
      .values();
    const workers = Array.from({ length: HOMES_AT_ONCE }, async () => {
      for (const { container } of due) {
        if (signal.aborted) return;
        if (container.volume === null) continue;
        const bytes = await world.runtime.homeBytes?.(container).catch(() => unseen("unanswered"));
        if (bytes === undefined) return;
        this.#homes.set(container.workspaceId, { volume: container.volume, at: clock.monotonicMs(), bytes });
      }
    });
    await Promise.all(workers);
  }

  #known({ workspaceId, volume }: ContainerSeen): HomeCount | null {
    const known = this.#homes.get(workspaceId);
    return known?.volume === volume ? known : null;
  }

  #homeOf(container: ContainerSeen): Seen<number> {
    return this.#known(container)?.bytes ?? unseen("soon");
  }

  /** What does not run any more is measured from the beginning when it does again. */
  #forget(): void {
    const containers = new Set(this.#running.map(({ id }) => id));
    const workspaces = new Set(this.#running.map(({ workspaceId }) => workspaceId));
    for (const id of this.#readings.keys()) if (!containers.has(id)) this.#readings.delete(id);
    for (const id of this.#homes.keys()) if (!workspaces.has(id)) this.#homes.delete(id);
  }

  /** Nearly always there is nothing to write of a disk, and then nothing is asked of the database either. */
  async #noteDisk(row: Workspace, { volume }: ContainerSeen, disk: UsageSample["disk"]): Promise<void> {
    const { store, deps, databaseClock } = this.#term;
    if (disk === null || volume === null) return;
    const now = databaseClock.now();
    if (deps.decisions.diskSeen({ row, archives: [], volumes: [], now }, volume, disk) === null) return;
    await store.mutate(row.id, (facts) => deps.decisions.diskSeen(facts, volume, disk));
  }
}

/** Hours of minutes, and what is too old: also where nothing is measured any more. */
export async function thinUsage({ store, deps }: TermContext): Promise<void> {
  await store.thinUsage(deps.settings.usageRetentionMs);
}
