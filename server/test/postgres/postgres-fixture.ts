import { randomBytes, randomUUID } from "node:crypto";
import pg from "pg";
import { createPool } from "#adapters/postgres/connection.ts";
import { API_ROLE, COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { PostgresLeaderStore } from "#adapters/postgres/stores/leader-store.ts";
import { PostgresRequestStore } from "#adapters/postgres/stores/request-store.ts";
import type { StoreFixture } from "../suites/store-suite.ts";
import { createTestDatabase } from "./with-database.ts";

/** Pools of both roles on a database of its own, and an administrator's connection beside them. */
export type PostgresFixture = StoreFixture & {
  readonly url: string;
  readonly api: pg.Pool;
  readonly coordinator: pg.Pool;
  readonly admin: pg.Client;
};

export async function openPostgres(): Promise<PostgresFixture> {
  const database = await createTestDatabase();
  const admin = new pg.Client({ connectionString: database.url });
  admin.on("error", () => undefined);
  await admin.connect();
  const api = createPool({ url: database.url, role: API_ROLE, max: 8, applicationName: "test api" });
  const coordinator = createPool({ url: database.url, role: COORDINATOR_ROLE, max: 8, applicationName: "test leader" });
  return {
    url: database.url,
    api,
    coordinator,
    admin,
    requestStore: new PostgresRequestStore(api),
    lead: async () => {
      const minted = await admin.query("UPDATE leader SET epoch = epoch + 1, holder = 'test' RETURNING epoch::integer");
      return new PostgresLeaderStore(coordinator, minted.rows[0]?.epoch);
    },
    owner: async () => {
      const id = randomUUID();
      const username = `user-${randomBytes(4).toString("hex")}`;
      await admin.query("INSERT INTO users (id, username, password_hash, role) VALUES ($1, $2, 'x', 'user')", [
        id,
        username,
      ]);
      return id;
    },
    close: async () => {
      await Promise.all([api.end(), coordinator.end(), admin.end()]);
      await database.drop();
    },
  };
}
