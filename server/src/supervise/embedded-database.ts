import { existsSync } from "node:fs";
import path from "node:path";
import { EmbeddedPostgres } from "#adapters/postgres/embedded/embedded-postgres.ts";
import { SchemaError } from "#adapters/postgres/schema-ledger.ts";
import type { Config } from "#config/config.ts";
import { DERIVED_DEFAULTS } from "#config/variables.ts";

type Place = Pick<Config, "DATA_DIR">;

const placeOf = (config: Place) => ({
  dir: path.join(config.DATA_DIR, "postgres"),
  fallbackDir: DERIVED_DEFAULTS.DATA_DIR.asRoot,
});

export const embeddedDirectory = (config: Place): string => placeOf(config).dir;

/** The database that CodeHub brings along: started, or adopted where it still runs. */
export function startEmbedded(config: Place, report: (message: string) => void): Promise<EmbeddedPostgres> {
  return EmbeddedPostgres.start({ ...placeOf(config), report });
}

/** The same for a command: one that runs is used beside whoever owns it and left to them; else it is started, and ended after. */
export async function borrowEmbedded(
  config: Place,
  mayMake: boolean,
): Promise<{ readonly url: string; readonly giveBack: () => Promise<void> }> {
  if (!mayMake && !existsSync(placeOf(config).dir))
    throw new SchemaError(
      `There is no database in DATA_DIR=${config.DATA_DIR}. Set DATA_DIR or DATABASE_URL as the server has them, or start CodeHub once.`,
    );
  const running = await EmbeddedPostgres.find(placeOf(config));
  if (running !== null) return { url: running, giveBack: async () => undefined };
  const started = await startEmbedded(config, () => undefined);
  return { url: started.url, giveBack: () => started.stop() };
}

/**
 * For a program whose supervisor was killed: ends the database that the supervisor had lent it, once nobody uses it any
 * more. Whoever comes first of several does it; nothing happens to a database that was not lent.
 */
export async function endLentDatabase(config: Pick<Config, "DATA_DIR" | "DATABASE_URL">): Promise<void> {
  const place = placeOf(config);
  if (config.DATABASE_URL === null || !existsSync(place.dir)) return;
  await EmbeddedPostgres.endLent(place, config.DATABASE_URL);
}
