import { once } from "node:events";
import pg from "pg";

export interface Row extends AsyncDisposable {
  readonly wish: (desired: string) => Promise<void>;
  /** Resolves with the moment at which the commit that reached the phase became known. */
  readonly reaches: (phase: string) => Promise<number>;
  readonly volume: () => Promise<string>;
}

/** The workspace's row on a connection of the bench's own: commits are heard the moment PostgreSQL tells of them. */
export async function openRow(url: string, id: string): Promise<Row> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("LISTEN ws_sse");
  const read = async () => {
    const { rows } = await client.query(
      "SELECT phase, operation, error_info, home_volume FROM workspaces WHERE id = $1",
      [id],
    );
    return rows[0] as { phase: string; operation: string; error_info: unknown; home_volume: string };
  };
  return {
    wish: async (desired) => {
      const sql = "UPDATE workspaces SET desired_state = $2, desired_version = desired_version + 1 WHERE id = $1";
      await client.query(sql, [id, desired]);
    },
    reaches: async (phase) => {
      for (const deadline = performance.now() + 120_000; performance.now() < deadline; ) {
        const heard = once(client, "notification", { signal: AbortSignal.timeout(120_000) }).then(() =>
          performance.now(),
        );
        const seen = await read();
        if (seen.phase === phase && seen.operation === "NONE") {
          heard.catch(() => {});
          return performance.now();
        }
        if (seen.phase === "ERROR") throw new Error(`the workspace failed: ${JSON.stringify(seen.error_info)}`);
        const at = await heard;
        const now = await read();
        if (now.phase === phase && now.operation === "NONE") return at;
      }
      throw new Error(`the workspace did not reach ${phase}`);
    },
    volume: async () => (await read()).home_volume,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** One start through the whole program, and back to standby. */
export async function ours(row: Row): Promise<{ readonly begun: number; readonly ended: number }> {
  await row.wish("RUNNING");
  const begun = performance.now();
  const ended = await row.reaches("RUNNING");
  await row.wish("STANDBY");
  await row.reaches("STANDBY");
  return { begun, ended };
}
