import { bindDeployment } from "#adapters/postgres/queries/deployment/bind-deployment.ts";
import { nextGeneration } from "#adapters/postgres/queries/deployment/next-generation.ts";
import { pruneFleetSamples } from "#adapters/postgres/queries/deployment/prune-fleet-samples.ts";
import { readDeployment } from "#adapters/postgres/queries/deployment/read-deployment.ts";
import { sampleFleet } from "#adapters/postgres/queries/deployment/sample-fleet.ts";
import { saveComponent } from "#adapters/postgres/queries/deployment/save-component.ts";
import { setQuarantine } from "#adapters/postgres/queries/deployment/set-quarantine.ts";
import { count, one, type Queryable } from "#adapters/postgres/statement.ts";
import type { Bound, ComponentSeen, Deployment } from "#ports/store.ts";

type Fenced = <R>(work: (tx: Queryable) => Promise<R>) => Promise<R>;

/** What the leader writes that concerns no single workspace. */
export class DeploymentFacts {
  readonly #reader: Queryable;
  readonly #fenced: Fenced;

  constructor(reader: Queryable, fenced: Fenced) {
    this.#reader = reader;
    this.#fenced = fenced;
  }

  read(): Promise<Deployment> {
    return readFacts(this.#reader);
  }

  bind({ runtimeKind, engineId, storeId }: Bound): Promise<Deployment> {
    return this.#fenced(async (tx) => {
      await count(tx, bindDeployment, { runtimeKind, engineId, storeId });
      return await readFacts(tx);
    });
  }

  async nextGeneration(): Promise<number> {
    return (await this.#fenced((tx) => one(tx, nextGeneration, {}))).gc_generation;
  }

  async setQuarantine(reason: string | null): Promise<void> {
    await this.#fenced((tx) => count(tx, setQuarantine, { reason }));
  }

  async sampleFleet(): Promise<void> {
    await this.#fenced(async (tx) => {
      await count(tx, sampleFleet, {});
      await count(tx, pruneFleetSamples, {});
    });
  }

  async saveComponents(components: readonly ComponentSeen[]): Promise<void> {
    await this.#fenced(async (tx) => {
      for (const { name, status, detail } of components) {
        await count(tx, saveComponent, { name, status, detail });
      }
    });
  }
}

async function readFacts(connection: Queryable): Promise<Deployment> {
  const row = await one(connection, readDeployment, {});
  return {
    deploymentId: row.deployment_id,
    runtimeKind: row.runtime_kind,
    engineId: row.engine_id,
    storeId: row.store_id,
    gcGeneration: row.gc_generation,
    quarantine: row.quarantine,
  };
}
