import { existsSync } from "node:fs";
import path from "node:path";
import { EmbeddedPostgres } from "#adapters/postgres/embedded/embedded-postgres.ts";
import type { Config } from "#config/config.ts";
import { DERIVED_DEFAULTS } from "#config/variables.ts";

type Place = Pick<Config, "DATA_DIR">;

const placeOf = (config: Place) => ({
  dir: path.join(config.DATA_DIR, "postgres"),
  fallbackDir: DERIVED_DEFAULTS.DATA_DIR.asRoot,
});

/** The database that CodeHub brings along: started, or adopted where it still runs. */
export function startEmbedded(config: Place, report: (message: string) => void): Promise<EmbeddedPostgres> {
  return EmbeddedPostgres.start({ ...placeOf(config), report });
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
