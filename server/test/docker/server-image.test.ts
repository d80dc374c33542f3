import type { Client } from "@codehub/contract";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { Visitor } from "../../bench/shared/visit.ts";
import { apiAs, sessionCookies } from "../e2e/accounts.ts";
import { admin } from "../e2e/program.ts";
import { openDatabasePassage } from "../kubernetes/passage.ts";
import { createUnmigratedDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { FAKE_IMAGE, JOB_IMAGE } from "./docker-harness.ts";
import {
  buildImages,
  type DockerCommand,
  dockerOf,
  type ServerContainers,
  startContainers,
} from "./server-containers.ts";

const host = inject("dockerHost");
const IMAGE = "codehub-image-test/server:latest";

describe.skipIf(host === null)("the server's image, made of a Debian", () => {
  let docker: DockerCommand;
  beforeAll(async () => {
    docker = dockerOf(host ?? "");
    await buildImages(host ?? "", "codehub-image-test", ["server"]);
  });
  const inside = (command: string): Promise<string> =>
    docker("run", "--rm", "--network", "none", "--entrypoint", "sh", IMAGE, "-c", command);

  it("says what is in it: every npm package that is built in, and every package of Debian", async () => {
    const { components } = JSON.parse(await inside("cat /app/sbom/npm.cdx.json")) as { components: { name: string }[] };
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["fastify", "pg", "react"]));
    expect(names).not.toContain("vitest");
    const system = (await inside("cat /app/sbom/system.txt")).split("\n");
    expect(system).toContain(`node ${process.version}`);
    expect(system).toContainEqual(expect.stringMatching(/^libc6 \S+ \S+$/));
  });

  it("has nothing in it that its own account could change, but its data directory", async () => {
    const places = "! -path '/proc/*' ! -path '/sys/*' ! -path '/dev/*'";
    const writable = await inside(`find / -xdev -writable ! -type l ${places} 2> /dev/null; true`);
    // Debian's places for what is gone after a while.
    const passing = ["/run/lock", "/tmp", "/var/tmp"];
    expect(writable.split("\n").filter((path) => !passing.includes(path))).toEqual(["/var/lib/codehub"]);
    expect(await inside("id -u; id -g")).toBe("10001\n10001");
  });

  it("refuses workspaces as processes, and says what to do", async () => {
    const refused = docker("run", "--rm", "--network", "none", "-e", "RUNTIME=process", IMAGE);
    await expect(refused).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^RUNTIME=process is refused/),
    });
  });

  it("has an operator's commands", async () => {
    expect(await docker("run", "--rm", "--network", "none", IMAGE, "doctor", "--help")).toMatch(/^codehub doctor/);
    expect(await inside("codehub")).toMatch(/^codehub COMMAND/);
  });

  describe("with proxy and server apart, on roots that cannot be written", () => {
    let database: TestDatabase;
    let passage: Awaited<ReturnType<typeof openDatabasePassage>>;
    let containers: ServerContainers;
    let api: Client;
    beforeAll(async () => {
      database = await createUnmigratedDatabase();
      passage = await openDatabasePassage("127.0.0.1", database.url);
      containers = await startContainers(host ?? "", IMAGE, {
        DATABASE_URL: passage.url,
        DEFAULT_IMAGE: FAKE_IMAGE,
        JOB_IMAGE,
        ADMIN_USERNAME: admin.username,
        ADMIN_PASSWORD: admin.password,
        HOST_PORTS_FROM: "53001",
        HOST_PORTS_TO: "53999",
      });
      await healthy();
      api = await apiAs(containers.url);
    });
    afterAll(async () => {
      await containers?.[Symbol.asyncDispose]();
      await database?.drop();
      await passage?.[Symbol.asyncDispose]();
    });
    const both = (): Promise<string[]> =>
      Promise.all([containers.health(containers.proxy), containers.health(containers.server)]);
    const healthy = async (): Promise<void> => {
      const until = { timeout: 60_000, interval: 250 };
      await vi
        .waitUntil(async () => (await both()).every((state) => state === "healthy"), until)
        .catch(async () => {
          const said = [containers.proxy, containers.server].map((one) => docker("logs", one));
          expect.fail(`${await both()}: ${(await Promise.all(said)).join("\n")}`);
        });
    };

    it("opens a workspace on the engine whose socket it was given, and archives it by the engine's own paths", async () => {
      const { id } = await api.createWorkspace({ body: { name: "from the image" } });
      const reaches = (phase: string): Promise<unknown> =>
        vi.waitFor(
          async () => expect(await api.getWorkspace({ params: { id } })).toMatchObject({ phase, operation: "NONE" }),
          {
            timeout: 60_000,
            interval: 200,
          },
        );
      await reaches("RUNNING");
      const visitor = new Visitor(containers.url, await sessionCookies(containers.url));
      expect(await visitor.open(`${containers.url}/w/${id}/`)).toMatchObject({ status: 200 });
      await api.updateWorkspace({ params: { id }, body: { desired_state: "ARCHIVED" } });
      await reaches("ARCHIVED");
      expect(await docker("logs", containers.server)).not.toContain("storage jobs use the engine's streams");
      await api.deleteWorkspace({ params: { id } });
    });

    it("is unhealthy when its process does not answer", async () => {
      await docker("kill", "-s", "STOP", containers.proxy);
      await vi.waitFor(async () => expect(await both()).toEqual(["unhealthy", "healthy"]), {
        timeout: 60_000,
        interval: 250,
      });
      await docker("kill", "-s", "CONT", containers.proxy);
      await healthy();
    });
  });
});
