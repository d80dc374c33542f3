import { expect } from "vitest";
import { EXIT } from "#supervise/exit-codes.ts";
import { createTestDatabase } from "../postgres/with-database.ts";
import { codehub } from "./codehub.ts";
import { dataDirectory, removeAll, type Stage, startStage } from "./stage.ts";

export type Place = Readonly<Record<string, string>>;

/** One deployment that goes from engine to engine, as an operator takes it there. */
export interface Moving extends AsyncDisposable {
  /** Starts CodeHub with what this engine wants. */
  readonly begin: (place: Place) => Promise<Stage>;
  readonly bring: (stage: Stage, id: string, phase: "RUNNING" | "STANDBY" | "ARCHIVED") => Promise<void>;
  /** Archives the home, stops CodeHub, and binds the deployment to the next engine. */
  readonly leave: (stage: Stage, id: string, next: Place) => Promise<void>;
}

export async function startMoving(): Promise<Moving> {
  const [database, dataDir] = [await createTestDatabase(), await dataDirectory()];
  const { url } = database;
  let open: Stage | null = null;
  const bring: Moving["bring"] = async (stage, id, phase) => {
    await stage.api.updateWorkspace({ params: { id }, body: { desired_state: phase } });
    await stage.reaches(id, phase);
  };
  return {
    begin: async (place) => {
      open = await startStage(dataDir, async () => url, { DATABASE_URL: url, ...place });
      return open;
    },
    bring,
    leave: async (stage, id, next) => {
      await bring(stage, id, "ARCHIVED");
      open = null;
      await stage.stop();
      const moved = await codehub({ DATABASE_URL: url, DATA_DIR: dataDir, ...next }, "move");
      expect(moved).toMatchObject({
        code: EXIT.inOrder,
        said: expect.stringContaining(`is bound to ${next["RUNTIME"]}`),
      });
    },
    [Symbol.asyncDispose]: async () => {
      await open?.stop();
      await database.drop();
      await removeAll(dataDir);
    },
  };
}

/** What `fill` put into the home, with owner and time left out of it that a move changes. */
export const deepLines = (home: string): string[] => home.split("\n").filter((line) => line.startsWith('"/deep'));

/** A workspace with something in its home, at rest. Its account is given to a home when it is first used. */
export async function makeFilled({ bring }: Moving, stage: Stage): Promise<string> {
  const { id } = await stage.api.createWorkspace({ body: { name: "mover", desired_state: "STANDBY" } });
  await stage.reaches(id, "STANDBY");
  await bring(stage, id, "RUNNING");
  await bring(stage, id, "STANDBY");
  await stage.fill(id, "words");
  return id;
}

/** Run inside: whose the home is, whether anything in it is somebody else's, and whether it is whole. */
export const LOOK = "cd && id -u && find . ! -user $(id -u) && wc -c < deep/er/words && stat -c %a deep";
export const LOOKED = "1000\n5000\n510\n";
