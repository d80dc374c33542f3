import { PoolerRefused } from "#adapters/postgres/connection.ts";
import { EmbeddedPostgresError, type TroubleKind } from "#adapters/postgres/embedded/trouble.ts";
import { RoleError } from "#adapters/postgres/roles.ts";
import { SchemaError } from "#adapters/postgres/schema-ledger.ts";
import { ConfigError } from "#config/config.ts";
import { EXIT } from "./exit-codes.ts";

/** What stands in the way of the embedded database until a person moves it. A full disk may be emptied by anybody. */
const EMBEDDED: Readonly<Record<TroubleKind, number>> = {
  "binaries-missing": EXIT.configuration,
  "no-account": EXIT.configuration,
  unreadable: EXIT.configuration,
  "other-version": EXIT.configuration,
  "not-a-database": EXIT.configuration,
  "port-taken": EXIT.taken,
  "in-use": EXIT.taken,
  "disk-full": EXIT.failed,
  failed: EXIT.failed,
};

/** How a start that failed ends: whether it is worth trying again as it is. When unsure it is. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigError || error instanceof RoleError || error instanceof PoolerRefused)
    return EXIT.configuration;
  // A schema error with a cause is one that the database reported, which may have been a bad moment.
  if (error instanceof SchemaError) return error.cause === undefined ? EXIT.configuration : EXIT.failed;
  if (error instanceof EmbeddedPostgresError) return EMBEDDED[error.kind];
  const cause = error instanceof Error ? error.cause : null;
  if (cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE") return EXIT.taken;
  return EXIT.failed;
}

/** A person reads this: what happened and what to do, without a stack. */
export const startFailure = (error: unknown): string =>
  error instanceof ConfigError
    ? error.message
    : `CodeHub could not start: ${error instanceof Error ? error.message : String(error)}`;
