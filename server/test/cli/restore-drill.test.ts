import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { EmbeddedPostgres } from "#adapters/postgres/embedded/embedded-postgres.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import { mayActAsRoot } from "../root.ts";
import { codehub } from "./codehub.ts";
import { carryArchives, dataDirectory, removeAll, type Stage, startStage } from "./stage.ts";

describe.runIf(mayActAsRoot("homes that belong to accounts of their own"))("a server that is lost", () => {
  const folders: string[] = [];
  const open: Stage[] = [];
  afterAll(async () => {
    for (const stage of open) await stage.stop();
    await removeAll(...folders);
  });
  const begin = async (dataDir: string): Promise<Stage> => {
    const database = async () =>
      (await EmbeddedPostgres.find({ dir: join(dataDir, "postgres"), fallbackDir: dataDir })) ?? "";
    const stage = await startStage(dataDir, database, {});
    open.push(stage);
    return stage;
  };
  const end = async (stage: Stage): Promise<void> => {
    open.splice(open.indexOf(stage), 1);
    await stage.stop();
  };

  test("is restored elsewhere: homes are their newest archives, byte for byte, and none is opened empty", async () => {
    const [first, second] = [await dataDirectory(), await dataDirectory()];
    folders.push(first, second);
    const before = await begin(first);
    const make = async (name: string): Promise<string> => {
      const { id } = await before.api.createWorkspace({ body: { name, desired_state: "STANDBY" } });
      await before.reaches(id, "STANDBY");
      await before.fill(id, name);
      return id;
    };
    const wants = (stage: Stage, id: string, desired_state: "ARCHIVED" | "STANDBY" | "RUNNING") =>
      stage.api.updateWorkspace({ params: { id }, body: { desired_state } });
    const archived = async (id: string): Promise<string> => {
      const home = await before.home(id);
      await wants(before, id, "ARCHIVED");
      await before.reaches(id, "ARCHIVED");
      return home;
    };

    const ids = {
      archived: await make("archived"),
      used: await make("used"),
      later: await make("later"),
      only: await make("only"),
    };
    const homes = { archived: await archived(ids.archived), used: await archived(ids.used), later: "" };
    await wants(before, ids.used, "STANDBY");
    await before.reaches(ids.used, "STANDBY");
    await before.fill(ids.used, "lost with the disk");

    const file = join(second, "codehub.backup");
    const taken = await codehub({ DATA_DIR: first, RUNTIME: "process" }, "backup", file);
    expect(taken).toMatchObject({ code: EXIT.inOrder, said: expect.stringContaining("4 workspaces, 2 archives") });
    homes.later = await archived(ids.later);
    await end(before);
    await carryArchives(first, second);
    await removeAll(first);

    const place = { DATA_DIR: second, RUNTIME: "process" };
    const unsure = await codehub(place, "restore", file);
    expect(unsure).toMatchObject({ code: EXIT.failed, complained: expect.stringContaining("--homes-lost") });
    const restored = await codehub(place, "restore", file, "--homes-lost");
    expect(restored.complained).toBe("");
    expect(restored.said).toMatch(/1 archives that were made later were found/);
    expect(restored.said).toMatch(
      /2 homes were on the lost engine and open at their newest archive:\n {2}later \(mina\)\n {2}used/,
    );
    expect(restored.said).toMatch(
      /1 homes had their only copy on the lost engine\. They stay closed:\n {2}only \(mina\)\n/,
    );

    const after = await begin(second);
    for (const name of ["archived", "used", "later"] as const) {
      await wants(after, ids[name], "STANDBY");
      await after.reaches(ids[name], "STANDBY");
      expect(await after.home(ids[name]), name).toBe(homes[name]);
    }
    await wants(after, ids.only, "RUNNING");
    await vi.waitFor(
      async () => {
        const { phase, error } = await after.api.getWorkspace({ params: { id: ids.only } });
        expect([phase, error?.reason]).toEqual(["ERROR", "DataLost"]);
      },
      { timeout: 60_000, interval: 200 },
    );
    const { gc } = await after.api.getSystem();
    expect(gc).toMatchObject({ quarantined: true, reason: expect.stringContaining("restored from a backup of") });
    const { findings } = await after.api.getExamination();
    expect(findings.find(({ check }) => check === "store")?.code).toBe("store_quarantined");
    await after.api.resumeGc();
    expect((await after.api.getSystem()).gc.quarantined).toBe(false);
    await end(after);
  });
});
