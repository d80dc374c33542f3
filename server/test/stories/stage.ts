import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@codehub/contract";
import pg from "pg";
import { expect, vi } from "vitest";
import { PostgresKeyring } from "#adapters/postgres/stores/keyring.ts";
import { readKeyFile } from "#adapters/secrets/key-file.ts";
import { FileSealer } from "#adapters/secrets/sealer.ts";
import type { Address } from "#core/rows/workspace.ts";
import { borrowEmbedded } from "#supervise/embedded-database.ts";
import { type EventStream, openStream } from "../api/event-stream.ts";
import { apiAs, makeUser, sessionCookies } from "../e2e/accounts.ts";
import type { Program } from "../e2e/program.ts";
import { ask, runInside } from "../runtime/ask.ts";

export type StoryProgram = Pick<Program, "url" | "dataDir" | "said" | "crashServer" | "stop">;

/** The whole program with two people and its own database, looked at from outside. */
export interface Stage extends AsyncDisposable {
  readonly sql: pg.Client;
  readonly admin: Client;
  readonly ann: Client;
  readonly bob: Client;
  readonly events: EventStream;
  /** A file that is older than everything that happens here. */
  readonly marker: string;
  readonly inside: (id: string, command: string) => Promise<{ readonly code: number; readonly text: string }>;
  readonly log: (id: string, text: string) => Promise<void>;
  readonly reaches: (client: Client, id: string, phase: string) => Promise<void>;
  /** Ann's private key, which no answer of the API ever has in it. */
  readonly privateKey: () => Promise<string>;
}

export async function openStage(program: StoryProgram): Promise<Stage> {
  const scratch = await mkdtemp(join(tmpdir(), "codehub-story-"));
  const marker = join(scratch, "marker");
  await writeFile(marker, "");
  const database = await borrowEmbedded({ DATA_DIR: program.dataDir }, false);
  const sql = new pg.Client({ connectionString: database.url });
  // The program ends its own database when it is stopped.
  sql.on("error", () => {});
  await sql.connect();
  const admin = await apiAs(program.url);
  const cookies = await Promise.all(
    ["ann", "bob"].map(async (name) => sessionCookies(program.url, await makeUser(admin, name))),
  );
  // With sessions, as their dashboards have: a token may not do all of it.
  const [ann, bob] = cookies.map((cookie) =>
    createClient({ baseUrl: program.url, fetch, headers: { origin: program.url, cookie } }),
  );
  if (ann === undefined || bob === undefined) throw new Error("nobody is here");
  const events = openStream({ url: program.url, origin: program.url }, { cookie: cookies[0] ?? "" });
  expect(await events.status).toBe(200);

  const address = async (id: string): Promise<{ readonly address: Address }> => {
    const { rows } = await sql.query("SELECT endpoint FROM workspaces WHERE id = $1", [id]);
    return rows[0].endpoint;
  };
  return {
    sql,
    admin,
    ann,
    bob,
    events,
    marker,
    inside: async (id, command) => runInside(await address(id), command),
    log: async (id, text) => void (await ask(await address(id), "/log", { text })),
    reaches: (client, id, phase) =>
      vi.waitFor(
        async () => {
          const workspace = await client.getWorkspace({ params: { id } });
          expect([workspace.phase, workspace.operation, workspace.error ?? null]).toEqual([phase, "NONE", null]);
        },
        { timeout: 120_000, interval: 100 },
      ),
    privateKey: async () => {
      const file = join(program.dataDir, "secrets.key");
      const pool = new pg.Pool({ connectionString: database.url, max: 1 });
      try {
        const { rows } = await pool.query("SELECT id FROM users WHERE username = 'ann'");
        const keyring = new PostgresKeyring(pool, new FileSealer(file, (await readKeyFile(file)) ?? []));
        const whose = { ownerId: rows[0].id, workspaceId: rows[0].id, repository: null, withKeys: true };
        return (await keyring.open(whose)).sshKey?.privateKey ?? "";
      } finally {
        await pool.end();
      }
    },
    [Symbol.asyncDispose]: async () => {
      events.close();
      await sql.end();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
