import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { EXIT } from "#supervise/exit-codes.ts";
import { codehub } from "../cli/codehub.ts";
import { dataDirectory, removeAll, type Stage, startStage } from "../cli/stage.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { runInside } from "../runtime/ask.ts";
import { containerOf } from "./container-of.ts";
import { FAKE_IMAGE, JOB_IMAGE } from "./docker-harness.ts";

const host = inject("dockerHost");

/** Accounts of workspaces differ: on processes each owner has one, in containers all have the same. */
describe.skipIf(host === null)("codehub move between processes and Docker", () => {
  // The image of a workspace is chosen when it is made; processes make no use of it.
  const processes = { RUNTIME: "process", DEFAULT_IMAGE: FAKE_IMAGE };
  const docker = {
    RUNTIME: "docker",
    DOCKER_HOST: host ?? "",
    DEFAULT_IMAGE: FAKE_IMAGE,
    JOB_IMAGE,
    HOST_PORTS_FROM: "53001",
    HOST_PORTS_TO: "53999",
  };
  let database: TestDatabase;
  let dataDir: string;
  let open: Stage | null = null;
  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await dataDirectory();
  });
  afterAll(async () => {
    await open?.stop();
    await database.drop();
    await removeAll(dataDir);
  });
  const begin = async (engine: object): Promise<Stage> => {
    open = await startStage(dataDir, async () => database.url, { DATABASE_URL: database.url, ...engine });
    return open;
  };
  const bring = async (stage: Stage, id: string, phase: "RUNNING" | "STANDBY" | "ARCHIVED"): Promise<void> => {
    await stage.api.updateWorkspace({ params: { id }, body: { desired_state: phase } });
    await stage.reaches(id, phase);
  };
  const leave = async (stage: Stage, id: string, next: Readonly<Record<string, string>>): Promise<void> => {
    await bring(stage, id, "ARCHIVED");
    open = null;
    await stage.stop();
    const moved = await codehub({ DATABASE_URL: database.url, DATA_DIR: dataDir, ...next }, "move");
    expect(moved).toMatchObject({
      code: EXIT.inOrder,
      said: expect.stringContaining(`is bound to ${next["RUNTIME"]}`),
    });
  };

  it("takes a home along with its archive, and it is its user's there and back", async () => {
    const first = await begin(processes);
    const { id } = await first.api.createWorkspace({ body: { name: "mover", desired_state: "STANDBY" } });
    await first.reaches(id, "STANDBY");
    // Its account is given to a home when it is first used.
    await bring(first, id, "RUNNING");
    await bring(first, id, "STANDBY");
    await first.fill(id, "words");
    const before = (await first.home(id)).split("\n").filter((line) => line.startsWith('"/deep'));
    await leave(first, id, docker);

    const second = await begin(docker);
    await bring(second, id, "RUNNING");
    const seen = await runInside(
      await containerOf(host ?? "", id),
      "cd && id -u && find . ! -user $(id -u) && wc -c < deep/er/words && stat -c %a deep && echo kept > from-docker",
    );
    expect(seen).toEqual({ code: 0, text: "1000\n5000\n510\n" });
    await leave(second, id, processes);

    const third = await begin(processes);
    await bring(third, id, "RUNNING");
    const after = (await third.home(id)).split("\n").filter((line) => line.startsWith('"/deep'));
    expect(after).toEqual(before);
    const folder = await third.folder(id);
    expect(await readFile(join(folder, "from-docker"), "utf8")).toBe("kept\n");
    expect((await lstat(join(folder, "from-docker"))).uid).toBe((await lstat(folder)).uid);
  });
});
