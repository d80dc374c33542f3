import pg from "pg";

/**
 * The two sides that write the database. There is one login; each pool becomes one of these roles, and PostgreSQL
 * refuses what the role was not granted. So the single-writer rule holds even against our own mistakes.
 */
export const API_ROLE = "codehub_api";
export const COORDINATOR_ROLE = "codehub_coordinator";
export type DatabaseRole = typeof API_ROLE | typeof COORDINATOR_ROLE;

export class RoleError extends Error {
  override readonly name = "RoleError";
}

/** Roles belong to the whole server, not to one database: several databases may share them and create them at once. */
export async function ensureRoles(client: pg.Client): Promise<void> {
  for (const role of [API_ROLE, COORDINATOR_ROLE] as const) {
    try {
      await ensureRole(client, role);
      await ensureMembership(client, role);
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === "42501") {
        throw await missingPrivilege(client, error);
      }
      throw error;
    }
  }
}

async function ensureRole(client: pg.Client, role: DatabaseRole): Promise<void> {
  const existing = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [role]);
  if (existing.rowCount !== 0) {
    return;
  }
  try {
    await client.query(`CREATE ROLE ${role} NOLOGIN NOINHERIT`);
  } catch (error) {
    // Another database's migration made it between the two statements.
    const made = error instanceof pg.DatabaseError && (error.code === "42710" || error.code === "23505");
    if (!made) {
      throw error;
    }
  }
}

async function ensureMembership(client: pg.Client, role: DatabaseRole): Promise<void> {
  if (await maySetRole(client, role)) {
    return;
  }
  await client.query(`GRANT ${role} TO CURRENT_USER`);
}

/** Asked by doing it: since PostgreSQL 16 a member may still lack the right to SET ROLE. */
export async function maySetRole(client: pg.Client, role: DatabaseRole): Promise<boolean> {
  try {
    await client.query(`SET ROLE ${role}`);
    await client.query("RESET ROLE");
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === "42501") {
      return false;
    }
    throw error;
  }
}

async function missingPrivilege(client: pg.Client, cause: Error): Promise<RoleError> {
  const answer = await client.query<{ login: string }>("SELECT quote_ident(current_user) AS login");
  const login = answer.rows[0]?.login ?? "the login";
  return new RoleError(
    `CodeHub writes its database as two roles and the login ${login} may neither create them nor become them. ` +
      `Let a database administrator run once:\n` +
      `  CREATE ROLE ${API_ROLE} NOLOGIN;\n  CREATE ROLE ${COORDINATOR_ROLE} NOLOGIN;\n` +
      `  GRANT ${API_ROLE}, ${COORDINATOR_ROLE} TO ${login};\n` +
      `or give the login the right to do it itself: ALTER ROLE ${login} CREATEROLE;`,
    { cause },
  );
}
