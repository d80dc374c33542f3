/** The database cannot be used by this program as it is; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

/** What is known of a migration beside its text. */
export interface Step {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  /**
   * Programs that know this schema or a newer one can go on when the step is done: it only adds what they do not look at. Its
   * own number where only those can that know it.
   */
  readonly usableFrom: number;
}

/** A step that was done; null for one of before this was written down. */
export interface LedgerRow extends Omit<Step, "usableFrom"> {
  readonly usableFrom: number | null;
}

/**
 * What is left to do. A newer schema can be used if every step beyond what this program knows says so: that is how an upgrade looks to
 * those that have not been upgraded yet.
 */
export function pendingOf<S extends Step>(known: readonly S[], ledger: readonly LedgerRow[]): S[] {
  const newest = known.length;
  const last = ledger.at(-1);
  const closed = ledger.find((row) => row.number > newest && (row.usableFrom ?? row.number) > newest);
  if (last !== undefined && closed !== undefined) {
    throw new SchemaError(
      `The database has schema ${last.number} (${last.name}); this program knows schemas up to ${newest}, and since migration ${closed.number} (${closed.name}) that is not enough. A newer CodeHub has used this database: start that release, or restore a backup from before the upgrade. Nothing was changed.`,
    );
  }
  for (const row of ledger) {
    const step = known[row.number - 1];
    if (step !== undefined && step.checksum !== row.checksum) {
      throw new SchemaError(
        `Migration ${row.number} (${row.name}) was applied to this database in another form than this program has it. Start the release that applied it. Nothing was changed.`,
      );
    }
  }
  return known.slice(last?.number ?? 0);
}

/** Of what the others that use this database now know. Rejected before anything is done: they could not go on. */
export function requireOthersCan(pending: readonly Step[], others: readonly number[]): void {
  const oldest = Math.min(...others);
  const closing = pending.find((step) => step.usableFrom > oldest);
  if (closing === undefined) return;
  throw new SchemaError(
    `Migration ${closing.number} (${closing.name}) cannot be done while a CodeHub that knows schemas up to ${oldest} uses this database: it could not go on. Stop every other CodeHub of this database, then start this one. Nothing was changed.`,
  );
}

const KNOWS = /^codehub .*, schema (\d+)$/;

/** How a process of ours calls its connections, so that others see what it knows. */
export const connectionName = (name: string, schema: number): string => `codehub ${name}, schema ${schema}`;

/** 0.1.0 calls its connections so, and knows this: it was the last that did not say so. */
const SILENT: ReadonlySet<string> = new Set(["codehub api", "codehub coordinator"]);
const SILENT_KNOWS = 6;

/** What those know that say so, and those of 0.1.0. */
export const schemasOf = (connectionNames: readonly string[]): number[] =>
  connectionNames.flatMap((name) => {
    if (SILENT.has(name)) return [SILENT_KNOWS];
    const schema = KNOWS.exec(name)?.[1];
    return schema === undefined ? [] : [Number(schema)];
  });

const USABLE_FROM = /^-- Usable from schema (\d+) on\.$/m;

/** What a migration's text says about itself. */
export function usableFrom(sql: string, number: number): number {
  const said = USABLE_FROM.exec(sql)?.[1];
  return said === undefined ? number : Number(said);
}
