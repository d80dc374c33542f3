import { randomUUID } from "node:crypto";
import pg from "pg";

/** The rows of a deployment: `active` run, all others are archived, all of them settled and known. */
export async function fillDatabase(url: string, total: number, active: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const owner = randomUUID();
    await client.query("INSERT INTO users (id, username, password_hash, role) VALUES ($1, 'bench', '-', 'user')", [
      owner,
    ]);
    await client.query(FILL, [owner, active, total]);
    await client.query("ANALYZE workspaces");
  } finally {
    await client.end();
  }
}

const condition = (
  key: string,
  status: string,
): string => `'${key}', jsonb_build_object('status', ${status}, 'reason', 'Bench',
  'message', '', 'last_transition_time', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'checked_at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

const FILL = `
INSERT INTO workspaces (id, owner_id, name, image_ref, desired_state, phase, observed_at, home_volume, archive_key, endpoint, conditions)
SELECT id, $1, 'bench ' || n, 'codehub/workspace:latest', phase, phase, now(),
  CASE WHEN up THEN 'ws-' || id || '-home-00000000' END,
  CASE WHEN NOT up THEN id || '/' || id || '/home.tar.zst' END,
  CASE WHEN up THEN jsonb_build_object('container_id', 'c-' || id, 'attempt', id,
    'address', jsonb_build_object('kind', 'tcp', 'host', '127.0.0.1', 'port', 20000)) END,
  jsonb_build_object(${condition("storage.volume_ready", "up")}, ${condition("storage.archive_ready", "NOT up")},
    ${condition("infra.container_ready", "up")}, ${condition("infra.container_present", "up")}, ${condition("policy.healthy", "true")})
FROM (SELECT gen_random_uuid() AS id, n, n <= $2 AS up, CASE WHEN n <= $2 THEN 'RUNNING' ELSE 'ARCHIVED' END AS phase
      FROM generate_series(1, $3::int) AS n) AS made`;
