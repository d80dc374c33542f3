import path from "node:path";
import { type createPool, openPool } from "#adapters/postgres/connection.ts";
import { EmbeddedPostgres } from "#adapters/postgres/embedded/embedded-postgres.ts";
import { migrate } from "#adapters/postgres/migrate.ts";
import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import type { Config } from "#config/config.ts";
import { DERIVED_DEFAULTS } from "#config/variables.ts";
import type { Logger } from "#ports/logger.ts";

export type Pool = ReturnType<typeof createPool>;

export interface Database {
  readonly url: string;
  /** Connections that may write requests and accounts. */
  readonly api: Pool;
  /** Connections that may write verdicts. */
  readonly coordinator: Pool;
  /** Last of all: nothing may use the database any more. */
  readonly close: () => Promise<void>;
}

/** The database this deployment uses, migrated, with one pool per role. */
export async function openDatabase(config: Config, logger: Logger): Promise<Database> {
  const embedded =
    config.DATABASE_URL === null
      ? await EmbeddedPostgres.start({
          dir: path.join(config.DATA_DIR, "postgres"),
          fallbackDir: DERIVED_DEFAULTS.DATA_DIR.asRoot,
          report: (message) => logger.info({ message }, "embedded database"),
        })
      : null;
  const url = embedded?.url ?? config.DATABASE_URL ?? "";
  try {
    const { applied } = await migrate(url);
    if (applied.length > 0) logger.info({ applied }, "database migrated");
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
  const api = await openPool({ url, role: API_ROLE, max: 16, applicationName: "codehub api" });
  const coordinator = await openPool({ url, role: COORDINATOR_ROLE, max: 12, applicationName: "codehub coordinator" });
  return {
    url,
    api,
    coordinator,
    close: async () => {
      await Promise.all([api.end(), coordinator.end()]);
      await embedded?.stop();
    },
  };
}
