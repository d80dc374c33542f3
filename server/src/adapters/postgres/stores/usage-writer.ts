import { toJson } from "#adapters/postgres/json.ts";
import { forgetUsage } from "#adapters/postgres/queries/usage/forget-usage.ts";
import {
  forgetHoursOfDeleted,
  forgetMinutesOfDeleted,
} from "#adapters/postgres/queries/usage/forget-usage-of-deleted.ts";
import { saveUsage } from "#adapters/postgres/queries/usage/save-usage.ts";
import { thinUsage } from "#adapters/postgres/queries/usage/thin-usage.ts";
import { count, type Queryable } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { UsageSample } from "#core/rules/usage.ts";

type Fenced = <R>(work: (tx: Queryable) => Promise<R>) => Promise<R>;

/** Ten thousand workspaces have all had their turn within an hour, at one call a minute. */
const THINNED_AT_ONCE = 500;

/** What the leader writes of what workspaces use. Never one statement for each of them. */
export class UsageWriter {
  readonly #fenced: Fenced;

  constructor(fenced: Fenced) {
    this.#fenced = fenced;
  }

  async save(samples: readonly UsageSample[]): Promise<void> {
    const columns = samplesByColumn(samples);
    await this.#fenced((tx) => count(tx, saveUsage, columns));
  }

  async thin(keptMs: Ms): Promise<void> {
    await this.#fenced(async (tx) => {
      await count(tx, thinUsage, { workspaces: THINNED_AT_ONCE });
      await count(tx, forgetUsage, { keptMs });
    });
  }

  async forgetDeleted(): Promise<void> {
    await this.#fenced(async (tx) => {
      await count(tx, forgetMinutesOfDeleted, {});
      await count(tx, forgetHoursOfDeleted, {});
    });
  }
}

/** As one statement takes them: -1 stands for what is not known. */
export const samplesByColumn = (samples: readonly UsageSample[]) => ({
  ids: samples.map(({ workspaceId }) => workspaceId),
  cpu: samples.map(({ cpuCores }) => cpuCores ?? -1),
  memory: samples.map(({ memoryBytes }) => whole(memoryBytes)),
  home: samples.map(({ homeBytes }) => whole(homeBytes)),
  used: samples.map(({ disk }) => whole(disk?.usedBytes)),
  total: samples.map(({ disk }) => whole(disk?.totalBytes)),
  shared: samples.map(({ disk }) => Number(disk?.shared ?? false)),
  missing: samples.map(({ missing }) => (Object.keys(missing).length === 0 ? "" : toJson(missing))),
});

const whole = (bytes: number | null | undefined): number => Math.round(bytes ?? -1);
