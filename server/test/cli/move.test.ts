import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { EXIT } from "#supervise/exit-codes.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { mayActAsRoot } from "../root.ts";
import { codehub } from "./codehub.ts";
import { carryArchives, dataDirectory, removeAll, type Stage, startStage } from "./stage.ts";

describe.runIf(mayActAsRoot("homes that belong to accounts of their own"))("codehub move", () => {
  let database: TestDatabase;
  let folders: string[];
  let open: Stage | null = null;
  beforeAll(async () => {
    database = await createTestDatabase();
    folders = [await dataDirectory(), await dataDirectory(), await dataDirectory()];
  });
  afterAll(async () => {
    await open?.stop();
    await database.drop();
    await removeAll(...folders);
  });
  const at = (place: number): string => folders[place] ?? "";
  const begin = async (place: number): Promise<Stage> => {
    open = await startStage(at(place), async () => database.url, { DATABASE_URL: database.url });
    return open;
  };
  const end = async (stage: Stage): Promise<void> => {
    open = null;
    await stage.stop();
  };
  const move = (place: number, ...words: string[]) =>
    codehub({ DATABASE_URL: database.url, DATA_DIR: at(place), RUNTIME: "process" }, "move", ...words);

  test("from one place to another: only when every home can come along, or was given up by name", async () => {
    const first = await begin(0);
    const make = async (stage: Stage, name: string): Promise<string> => {
      const { id } = await stage.api.createWorkspace({ body: { name, desired_state: "STANDBY" } });
      await stage.reaches(id, "STANDBY");
      await stage.fill(id, name);
      return id;
    };
    const mover = await make(first, "mover");
    const home = await first.home(mover);
    expect(await move(1)).toMatchObject({ code: EXIT.failed, complained: expect.stringContaining("CodeHub runs") });
    await end(first);

    const behind = await move(1);
    expect(behind.code).toBe(EXIT.failed);
    expect(behind.complained).toMatch(/These homes are on the former engine[\s\S]*\n {2}mover \(mina, /);

    const again = await begin(0);
    await again.api.updateWorkspace({ params: { id: mover }, body: { desired_state: "ARCHIVED" } });
    await again.reaches(mover, "ARCHIVED");
    await end(again);
    const without = await move(1);
    expect(without).toMatchObject({ code: EXIT.failed, complained: expect.stringMatching(/1 archives are missing/) });
    await removeAll(`${at(1)}/archives`);
    await carryArchives(at(0), at(1));
    const done = await move(1);
    expect(done).toMatchObject({ code: EXIT.inOrder, said: expect.stringContaining("is bound to process") });
    expect(await move(1)).toMatchObject({ code: EXIT.inOrder });

    const second = await begin(1);
    await second.api.updateWorkspace({ params: { id: mover }, body: { desired_state: "STANDBY" } });
    await second.reaches(mover, "STANDBY");
    expect(await second.home(mover)).toBe(home);
    const lost = await make(second, "never archived");
    await end(second);

    await carryArchives(at(1), at(2));
    expect(await move(2, "--lost", "somebody")).toMatchObject({ complained: expect.stringContaining("Each --lost") });
    expect(await move(2, "--lost", "mover")).toMatchObject({ complained: expect.stringContaining("never archived") });
    const given = await move(2, "--lost", "mover", "--lost", lost);
    expect(given).toMatchObject({
      code: EXIT.inOrder,
      said: expect.stringMatching(/given up: mover[\s\S]*never archived/),
    });

    const third = await begin(2);
    await third.api.updateWorkspace({ params: { id: mover }, body: { desired_state: "STANDBY" } });
    await third.reaches(mover, "STANDBY");
    expect(await third.home(mover)).toBe(home);
    await vi.waitFor(
      async () => expect((await third.api.getWorkspace({ params: { id: lost } })).error?.reason).toBe("DataLost"),
      { timeout: 60_000, interval: 200 },
    );
    await end(third);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const events = await client.query(
      "SELECT summary, details FROM workspace_events WHERE kind = 'deployment_moved' ORDER BY id",
    );
    await client.end();
    expect(events.rows.map(({ details }) => details.lost.length)).toEqual([0, 2]);
    expect(events.rows[0]?.summary).toMatch(
      /^The deployment was moved from process process-\w+ with store .* to process /,
    );
  });
});
