import { join } from "node:path";
import { describe } from "vitest";
import { type ContainerRecord, RECORD, readJson } from "#adapters/process/record.ts";
import { startProgram } from "../e2e/program.ts";
import { mayActAsRoot } from "../root.ts";
import { placeFakeIde } from "../stories/fake-ide-install.ts";
import { lostKeyFileStory } from "../stories/lost-key-file.ts";

describe.runIf(mayActAsRoot("a key file that is lost"))("as processes", () => {
  lostKeyFileStory("process", {
    start: () => startProgram({}, placeFakeIde),
    ideOf: async ({ dataDir }, id) => {
      const record = await readJson<ContainerRecord>(join(dataDir, "run", id, RECORD));
      return { address: { kind: "unix", path: record?.socketPath ?? "" } };
    },
  });
});
