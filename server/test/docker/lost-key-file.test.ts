import { describe, inject } from "vitest";
import { startProgram } from "../e2e/program.ts";
import { lostKeyFileStory } from "../stories/lost-key-file.ts";
import { containerOf } from "./container-of.ts";
import { FAKE_IMAGE, JOB_IMAGE } from "./docker-harness.ts";

const host = inject("dockerHost");

describe.skipIf(host === null)("on Docker", () => {
  lostKeyFileStory("docker", {
    start: () =>
      startProgram({
        ...{ RUNTIME: "docker", DOCKER_HOST: host ?? "", DEFAULT_IMAGE: FAKE_IMAGE, JOB_IMAGE },
        // A range of its own: other tests publish ports on this engine's host too.
        ...{ HOST_PORTS_FROM: "55001", HOST_PORTS_TO: "55999" },
      }),
    ideOf: (_, id) => containerOf(host ?? "", id),
  });
});
