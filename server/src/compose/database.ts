import { type createPool, openPool } from "#adapters/postgres/connection.ts";
import { keyedName } from "#adapters/postgres/key-ledger.ts";
import { migrate } from "#adapters/postgres/migrate.ts";
import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { connectionName, SchemaError } from "#adapters/postgres/schema-ledger.ts";
import type { Config } from "#config/config.ts";
import { failedDatabase, judgeDatabase } from "#core/doctor/judge-database.ts";
import type { Logger } from "#ports/logger.ts";
import type { Sealer } from "#ports/secrets.ts";
import type { Secrets } from "./secrets.ts";
import { spoken } from "./spoken-findings.ts";

export type Pool = ReturnType<typeof createPool>;

export interface Database {
  readonly url: string;
  /** Connections that may write requests and accounts. */
  readonly api: Pool;
  /** Connections that may write verdicts, made for whoever asks first. */
  readonly coordinator: () => Promise<Pool>;
  /** The key file at work. */
  readonly sealer: Sealer;
  /** Last of all: nothing may use the database any more. */
  readonly close: () => Promise<void>;
}

/** For a proxy by itself. */
const SEALS_NOTHING: Sealer = {
  has: async () => false,
  seal: async () => null,
  open: async () => null,
  rewrap: async () => null,
};

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
  let secrets: Secrets | null = null;
  try {
    const { applied, known } = await migrate(url);
    schema = known;
    if (applied.length > 0) logger.info({ applied }, "database migrated");
    // A proxy by itself seals and opens nothing.
    if (config.ROLES.some((role) => role !== "proxy"))
      secrets = await (await import("./secrets.ts")).openSecrets(config, url, logger);
  } catch (error) {
    await embedded?.stop();
    throw inWords(error);
  }
  const keyId = secrets?.keyId ?? null;
  const nameOf = (pool: string): string => connectionName(keyedName(pool, keyId), schema);
  // One connection always stays open: by its name others see which key is in use.
  const api = await openPool({ url, role: API_ROLE, min: 1, max: 16, applicationName: nameOf("api") });
  await secrets?.bound();
  let coordinator: Promise<Pool> | null = null;
  const applicationName = nameOf("coordinator");
  const ofCoordinator = { url, role: COORDINATOR_ROLE, max: 12, applicationName } as const;
  return {
    url,
    api,
    sealer: secrets?.sealer ?? SEALS_NOTHING,
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
