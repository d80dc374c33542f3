import { type createPool, openPool } from "#adapters/postgres/connection.ts";
import { migrate } from "#adapters/postgres/migrate.ts";
import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { connectionName, SchemaError } from "#adapters/postgres/schema-ledger.ts";
import type { Config } from "#config/config.ts";
import { failedDatabase, judgeDatabase } from "#core/doctor/judge-database.ts";
import type { Logger } from "#ports/logger.ts";
import { spoken } from "./spoken-findings.ts";

export type Pool = ReturnType<typeof createPool>;

export interface Database {
  readonly url: string;
  /** Connections that may write requests and accounts. */
  readonly api: Pool;
  /** Connections that may write verdicts, made for whoever asks first. */
  readonly coordinator: () => Promise<Pool>;
  /** Last of all: nothing may use the database any more. */
  readonly close: () => Promise<void>;
}

/** What the database or the system says of a connection, with what to do about it; what is ours says so itself. */
function inWords(error: unknown): unknown {
  const said = error instanceof AggregateError ? error.errors[0] : error;
  if (!(said instanceof Error) || !("code" in said) || said instanceof SchemaError) return error;
  const [finding] = spoken(judgeDatabase(failedDatabase(said, false)));
  return new Error(`${finding?.found} ${finding?.cure}`, { cause: error });
}

/** The database this deployment uses, migrated, with one pool per role. */
export async function openDatabase(config: Config, logger: Logger): Promise<Database> {
  const report = (message: string): void => logger.info({ message }, "embedded database");
  const embedded =
    config.DATABASE_URL === null
      ? await (await import("#supervise/embedded-database.ts")).startEmbedded(config, report)
      : null;
  const url = embedded?.url ?? config.DATABASE_URL ?? "";
  let schema: number;
  try {
    const { applied, known } = await migrate(url);
    schema = known;
    if (applied.length > 0) logger.info({ applied }, "database migrated");
  } catch (error) {
    await embedded?.stop();
    throw inWords(error);
  }
  const api = await openPool({ url, role: API_ROLE, max: 16, applicationName: connectionName("api", schema) });
  let coordinator: Promise<Pool> | null = null;
  const applicationName = connectionName("coordinator", schema);
  const ofCoordinator = { url, role: COORDINATOR_ROLE, max: 12, applicationName } as const;
  return {
    url,
    api,
    coordinator: () => {
      coordinator ??= openPool(ofCoordinator).catch((error: unknown) => {
        coordinator = null;
        throw error;
      });
      return coordinator;
    },
    close: async () => {
      await Promise.all([api.end(), coordinator?.then((pool) => pool.end())]);
      await embedded?.stop();
    },
  };
}
