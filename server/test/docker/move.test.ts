import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { deepLines, LOOK, LOOKED, type Moving, makeFilled, startMoving } from "../cli/moving.ts";
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
  let moving: Moving;
  beforeAll(async () => {
    moving = await startMoving();
  });
  afterAll(async () => {
    await moving?.[Symbol.asyncDispose]();
  });

  it("takes a home along with its archive, and it is its user's there and back", async () => {
    const { begin, bring, leave } = moving;
    const first = await begin(processes);
    const id = await makeFilled(moving, first);
    const before = deepLines(await first.home(id));
    await leave(first, id, docker);

    const second = await begin(docker);
    await bring(second, id, "RUNNING");
    const seen = await runInside(await containerOf(host ?? "", id), `${LOOK} && echo kept > from-docker`);
    expect(seen).toEqual({ code: 0, text: LOOKED });
    await leave(second, id, processes);

    const third = await begin(processes);
    await bring(third, id, "RUNNING");
    expect(deepLines(await third.home(id))).toEqual(before);
    const folder = await third.folder(id);
    expect(await readFile(join(folder, "from-docker"), "utf8")).toBe("kept\n");
    expect((await lstat(join(folder, "from-docker"))).uid).toBe((await lstat(folder)).uid);
  });
});
