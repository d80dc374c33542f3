import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { dataDirectory, removeAll, type Stage, startStage } from "./stage.ts";

let database: TestDatabase;
let dataDir: string;
let stage: Stage;
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await dataDirectory();
  const engine = { RUNTIME: "docker", DOCKER_HOST: "unix:///nonexistent.sock" };
  stage = await startStage(dataDir, async () => database.url, { DATABASE_URL: database.url, ...engine });
});
afterAll(async () => {
  await stage?.stop();
  await database?.drop();
  await removeAll(dataDir);
});

test("a workspace whose engine has never answered says that it does not, and why", async () => {
  const { id } = await stage.api.createWorkspace({ body: { name: "waiting" } });
  await vi.waitFor(
    async () => {
      const { blockers } = await stage.api.explainWorkspace({ params: { id } });
      expect(blockers.map(({ message }) => message).join("\n")).toMatch(
        /The engine does not answer\. The Docker engine at unix:\/\/\/nonexistent\.sock cannot be used: connect ENOENT/,
      );
    },
    { timeout: 60_000, interval: 200 },
  );
});
