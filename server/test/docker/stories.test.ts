import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, inject } from "vitest";
import { Engine } from "#adapters/docker/engine.ts";
import { startProgram } from "../e2e/program.ts";
import { gitAvailable } from "../git/repositories.ts";
import { sshdAvailable } from "../git/ssh-server.ts";
import { machineAddress } from "../stories/git-hosts.ts";
import { archiveFolder, type Place, plantInHome, type Story } from "../stories/places.ts";
import { repositoryStories } from "../stories/repository-stories.ts";
import { filesHolding, heldBy } from "../stories/search.ts";
import { FAKE_IMAGE, JOB_IMAGE } from "./docker-harness.ts";

const host = inject("dockerHost");
const run = promisify(execFile);

async function docker(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, DOCKER_HOST: host ?? "" };
  const { stdout, stderr } = await run("docker", args, { env, maxBuffer: 256 * 1024 * 1024 });
  return stdout + stderr;
}

/** All that the engine tells of its containers, those of jobs among them. Other tests' may go while it does. */
const told: Place = {
  name: "what the engine tells of containers, and their logs",
  plant: async (control) =>
    void (await docker("create", "--network", "none", "--env", `PLANTED=${control}`, FAKE_IMAGE)),
  find: async (secrets) => {
    const ids = (await docker("ps", "-aq", "--no-trunc")).split("\n").filter((id) => id !== "");
    const about = await Promise.all(
      ids.flatMap((id) => [docker("inspect", id).catch(() => ""), docker("logs", id).catch(() => "")]),
    );
    return heldBy(about.join("\n"), secrets);
  },
};

/** Its whole folder: layers, volumes, logs and what it writes down of containers. */
const disk = (story: Story): Place => ({
  name: "the engine's disk",
  plant: plantInHome(story),
  find: async (secrets) => {
    const { DockerRootDir } = await new Engine({ host: host ?? "" }).need<{ DockerRootDir: string }>("GET", "/info");
    return await filesHolding(DockerRootDir, story.marker, secrets);
  },
});

describe.skipIf(host === null || !gitAvailable() || !sshdAvailable())("on Docker", () => {
  repositoryStories("docker", machineAddress(), {
    start: (environment) =>
      startProgram({
        ...{ RUNTIME: "docker", DOCKER_HOST: host ?? "", DEFAULT_IMAGE: FAKE_IMAGE, JOB_IMAGE },
        // A range of its own: other tests publish ports on this engine's host too.
        ...{ HOST_PORTS_FROM: "54001", HOST_PORTS_TO: "54999" },
        ...environment,
      }),
    places: (story) => [archiveFolder(join(story.program.dataDir, "archives"), story), told, disk(story)],
    placesOfJobs: () => [told],
  });
});
