import { join } from "node:path";
import { afterAll, describe, expect, inject, it } from "vitest";
import type { ListedContainer } from "#adapters/docker/containers.ts";
import { Engine } from "#adapters/docker/engine.ts";
import { EmbeddedPostgres } from "#adapters/postgres/embedded/embedded-postgres.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import { codehub } from "../cli/codehub.ts";
import { dataDirectory, removeAll, type Stage, startStage } from "../cli/stage.ts";
import { runInside } from "../runtime/ask.ts";
import { FAKE_IMAGE, JOB_IMAGE } from "./docker-harness.ts";

const host = inject("dockerHost");

describe.skipIf(host === null)("codehub move, from processes to Docker", () => {
  const engine = new Engine({ host: host ?? "" });
  let open: Stage | null = null;
  let dataDir: string;
  afterAll(async () => {
    await open?.stop();
    await removeAll(dataDir);
  });
  const begin = async (environment: Readonly<Record<string, string>>): Promise<Stage> => {
    const where = { dir: join(dataDir, "postgres"), fallbackDir: dataDir };
    open = await startStage(dataDir, async () => (await EmbeddedPostgres.find(where)) ?? "", environment);
    return open;
  };

  it("takes homes along by their archives", async () => {
    dataDir = await dataDirectory();
    const images = { DEFAULT_IMAGE: FAKE_IMAGE, JOB_IMAGE };
    const before = await begin(images);
    const { id } = await before.api.createWorkspace({ body: { name: "mover", desired_state: "STANDBY" } });
    await before.reaches(id, "STANDBY");
    await before.fill(id, "carried");
    await before.api.updateWorkspace({ params: { id }, body: { desired_state: "ARCHIVED" } });
    await before.reaches(id, "ARCHIVED");
    await before.stop();
    open = null;

    const ports = { HOST_PORTS_FROM: "53101", HOST_PORTS_TO: "53199" };
    const docker = { RUNTIME: "docker", DOCKER_HOST: host ?? "", ...images, ...ports };
    const place = { DATA_DIR: dataDir, ...docker };
    expect((await codehub(place, "doctor")).said).toMatch(/BROKEN +engine +RUNTIME is docker, but .* on process/);
    expect(await codehub(place, "move")).toMatchObject({ code: EXIT.inOrder, complained: "" });

    const after = await begin(docker);
    await after.api.updateWorkspace({ params: { id }, body: { desired_state: "RUNNING" } });
    await after.reaches(id, "RUNNING");
    const filters = JSON.stringify({ label: [`codehub.workspace=${id}`, "codehub.role=workspace"] });
    const [found] = await engine.need<ListedContainer[]>("GET", "/containers/json", { query: { filters } });
    const [network] = Object.values(found?.NetworkSettings.Networks ?? {});
    const address = { kind: "tcp", host: network?.IPAddress ?? "", port: 8080 } as const;
    const read = await runInside(
      { address },
      "cd && readlink 'link to carried' && cat deep/er/carried && stat -c %a deep",
    );
    expect(read).toEqual({ code: 0, text: `carried\n${"carried".repeat(1_000)}510\n` });
    await after.api.deleteWorkspace({ params: { id }, query: { purge: true, confirm: "mover" } });
    await after.reaches(id, "DELETED");
  });
});
