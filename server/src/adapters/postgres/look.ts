import pg from "pg";
import type { DatabaseAnswer } from "#core/doctor/judge-database.ts";
import type { Remembered } from "#core/doctor/judge-parts.ts";
import { isPoolersRefusal, types, withSettings } from "./connection.ts";
import { schemaState } from "./migrate.ts";
import { readDeployment } from "./queries/deployment/read-deployment.ts";
import { API_ROLE, COORDINATOR_ROLE, maySetRole } from "./roles.ts";
import { one, type Queryable } from "./statement.ts";

const CONNECT_MS = 5_000;
const ANSWER_MS = 10_000;

export interface DatabaseLook {
  readonly answer: Omit<DatabaseAnswer, "kind" | "embedded">;
  /** Null before the first start. */
  readonly remembered: Remembered | null;
}

/** Looks at a database without changing anything in it. Rejects with what the system or PostgreSQL says. */
export async function lookAtDatabase(url: string, nowMs: () => number): Promise<DatabaseLook> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "codehub doctor",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    types,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const about = await client.query<{ version: string; login: string; may_make: boolean }>(
      `SELECT current_setting('server_version_num') AS version, quote_ident(current_user) AS login,
         rolsuper OR rolcreaterole AS may_make FROM pg_roles WHERE rolname = current_user`,
    );
    const { version = "0", login = "", may_make: mayMake = false } = about.rows[0] ?? {};
    const schema = await schemaState(client).catch((error: unknown) => {
      if (!(error instanceof pg.DatabaseError) || error.code !== "42501") throw error;
      return { known: 0, applied: 0, refusal: `The login ${login} may not read what it should own: ${error.message}` };
    });
    const roles = { pooled: await isPooled(url), missing: await missingRoles(client), mayMake };
    const aheadMs = await ahead(client, nowMs);
    const remembered = schema.applied === 0 || schema.refusal !== null ? null : await remember(client);
    return { answer: { version: Number(version), login, schema, roles, aheadMs }, remembered };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function missingRoles(client: pg.Client): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const role of [API_ROLE, COORDINATOR_ROLE] as const) {
    const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [role]);
    if (rowCount === 0 || !(await maySetRole(client, role))) missing.push(role);
  }
  return missing;
}

/** A pooler refuses what the first message of a connection asks for, or forgets it. */
async function isPooled(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: withSettings(url, { "codehub.asked": "doctor" }),
    application_name: "codehub doctor",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const kept = await client.query<{ asked: string | null }>("SELECT current_setting('codehub.asked', true) AS asked");
    return kept.rows[0]?.asked !== "doctor";
  } catch (error) {
    if (isPoolersRefusal(error)) return true;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Of several answers the quickest says most exactly what time it was when it was given. */
async function ahead(client: pg.Client, nowMs: () => number): Promise<number> {
  let best = { roundTripMs: Number.POSITIVE_INFINITY, aheadMs: 0 };
  for (let asked = 0; asked < 3; asked++) {
    const sentAt = nowMs();
    const answer = await client.query<{ now: number }>("SELECT clock_timestamp() AS now");
    const receivedAt = nowMs();
    const roundTripMs = receivedAt - sentAt;
    const aheadMs = Math.round((answer.rows[0]?.now ?? sentAt) - (sentAt + receivedAt) / 2);
    if (roundTripMs < best.roundTripMs) best = { roundTripMs, aheadMs };
  }
  return best.aheadMs;
}

/** What the deployment was bound to at its first start. */
export async function remember(connection: Queryable): Promise<Remembered> {
  const row = await one(connection, readDeployment, {});
  return {
    deploymentId: row.deployment_id,
    runtimeKind: row.runtime_kind,
    engineId: row.engine_id,
    storeId: row.store_id,
    generation: row.gc_generation,
    quarantine: row.quarantine,
  };
}
