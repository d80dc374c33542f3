import os from "node:os";
import { PostgresElection } from "#adapters/postgres/election.ts";
import { PostgresNotificationSource } from "#adapters/postgres/notification-source.ts";
import { PostgresCheckStore } from "#adapters/postgres/stores/check-store.ts";
import { PostgresKeyring } from "#adapters/postgres/stores/keyring.ts";
import { PostgresRequestStore } from "#adapters/postgres/stores/request-store.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { processWitness } from "#adapters/system/process-witness.ts";
import type { Config } from "#config/config.ts";
import { runCoordinator } from "#coordinator/coordinator.ts";
import { DECISIONS } from "#coordinator/deps.ts";
import type { Surroundings } from "#coordinator/surroundings.ts";
import { busHints, checkHints } from "#events/hints.ts";
import { ChangeListener } from "#events/listener.ts";
import type { Logger } from "#ports/logger.ts";
import type { Tracer } from "#ports/tracer.ts";
import type { World } from "#ports/world.ts";
import type { Signals } from "./bus.ts";
import type { Database, Pool } from "./database.ts";
import { coordinatorSettings, setupPolicy } from "./settings.ts";

export interface CoordinatorParts {
  readonly config: Config;
  readonly database: Pick<Database, "url" | "api" | "sealer">;
  /** Connections that may write verdicts. */
  readonly pool: Pool;
  readonly signals: Signals;
  readonly world: World;
  readonly surroundings?: Surroundings | undefined;
  readonly logger: Logger;
  readonly tracer?: Tracer | undefined;
  /** What else is done in every term, by the leader only. */
  readonly inTerm?: (epoch: number, ended: AbortSignal) => Promise<void>;
}

/** The coordinator with everything behind it; resolves when the signal has ended it. A supervisor restarts what dies. */
export async function superviseCoordinator(parts: CoordinatorParts, signal: AbortSignal): Promise<void> {
  const { config, database, pool, signals, world, surroundings, logger, tracer } = parts;
  const { bus, channels, activity } = signals;
  const source = new PostgresNotificationSource(database.url, logger);
  const listener = new ChangeListener({ source, bus, channels, clock, logger });
  const deps = {
    clock,
    ids,
    logger,
    tracer,
    ...world,
    surroundings,
    election: new PostgresElection({
      url: database.url,
      pool,
      holder: `${os.hostname()} ${process.pid}`,
      identity: processWitness.self,
      logger,
    }),
    witness: processWitness,
    requestStore: new PostgresRequestStore(database.api),
    hints: busHints(bus, channels),
    activity,
    keyring: new PostgresKeyring(pool, database.sealer),
    checks: {
      store: (epoch: number) => new PostgresCheckStore(pool, epoch),
      hints: checkHints(bus, channels),
    },
    decisions: DECISIONS,
    setupPolicy: setupPolicy(config, world.runtime.kind),
    settings: coordinatorSettings(config, os.availableParallelism(), world.runtime.kind),
    onTerm: (epoch: number, ended: AbortSignal): void => {
      listener.run(ended).catch((error: unknown) => logger.error({ error: String(error) }, "event listener ended"));
      parts.inTerm?.(epoch, ended).catch((error: unknown) => {
        logger.error({ error: String(error) }, "a part beside the coordinator ended");
      });
    },
  };
  while (!signal.aborted) {
    try {
      await runCoordinator(deps, signal);
    } catch (error) {
      logger.error({ error: String(error) }, "coordinator died; it is started again");
    }
    await clock.sleep(1_000, signal);
  }
}
