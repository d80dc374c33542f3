import pg from "pg";
import { hashSecret, newSecret } from "#api/accounts/secrets.ts";
import { seedMany } from "../../test/e2e/seed.ts";

export interface Person {
  readonly id: string;
  /** The cookie of a session at the dashboard. */
  readonly cookie: string;
}

let settled = 0;

/** People with a session and workspaces, written directly: hashing their passwords is not what is measured. */
export async function settle(database: string, count: number, workspacesEach: number): Promise<Person[]> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const people: Person[] = [];
    for (let index = 0; index < count; index += 1) {
      const { secret } = newSecret();
      const { rows } = await client.query<{ id: string }>(
        "INSERT INTO users (id, username, password_hash, role) VALUES (gen_random_uuid(), $1, '-', 'user') RETURNING id",
        [`person${++settled}`],
      );
      const id = rows[0]?.id ?? "";
      await client.query(
        "INSERT INTO sessions (token_hash, kind, user_id, expires_at) VALUES ($1, 'dashboard', $2, now() + interval '1 hour')",
        [hashSecret(secret), id],
      );
      await seedMany(client, id, workspacesEach);
      people.push({ id, cookie: `__Host-Http-codehub=${secret}` });
    }
    return people;
  } finally {
    await client.end();
  }
}
