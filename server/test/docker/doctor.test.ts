import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client } from "@codehub/contract";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { codehub } from "../cli/codehub.ts";
import { freshBucket } from "../data/s3-server.ts";
import { apiAs } from "../e2e/accounts.ts";
import { type Program, startProgram } from "../e2e/program.ts";
import { FAKE_IMAGE, JOB_IMAGE } from "./docker-harness.ts";

const run = promisify(execFile);
const host = inject("dockerHost");
const s3 = inject("s3");

interface Told {
  readonly check: string;
  readonly level: string;
  readonly code: string;
  readonly cure: string | null;
}

describe.skipIf(host === null)("codehub doctor, on Docker", () => {
  const engine = { RUNTIME: "docker", DOCKER_HOST: host ?? "", DEFAULT_IMAGE: FAKE_IMAGE, JOB_IMAGE };
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "codehub-doctor-docker-"));
  });
  afterAll(async () => await rm(dataDir, { recursive: true, force: true }));
  const findings = async (change: Readonly<Record<string, string>>): Promise<readonly Told[]> => {
    const { said } = await codehub({ DATA_DIR: dataDir, ...engine, ...change }, "doctor", "--json");
    return JSON.parse(said).findings;
  };
  const notWell = async (change: Readonly<Record<string, string>>): Promise<string[]> =>
    (await findings(change)).filter(({ level }) => level !== "ok").map(({ level, code }) => `${level} ${code}`);

  it("finds images that are missing, or of another release, and says how to build them", async () => {
    expect(await notWell({})).toEqual(["unknown firewall_later"]);
    const missing = await findings({ JOB_IMAGE: "codehub/nowhere:1", DEFAULT_IMAGE: "codehub/neither:1" });
    const images = missing.filter(({ check }) => check === "images");
    expect(images.map(({ code }) => code)).toEqual(["job_image_missing", "default_image_missing"]);
    expect(images[0]?.cure).toContain("docker build -t codehub/nowhere:1 -f deploy/images/job/Dockerfile");
    await run("docker", ["-H", host ?? "", "tag", FAKE_IMAGE, "codehub/not-a-job:1"]);
    expect(await notWell({ JOB_IMAGE: "codehub/not-a-job:1" })).toContain("broken job_image_other");
  });

  it.skipIf(s3 === null)("finds a bucket that is not there, and a key that is wrong", async () => {
    const access = s3 ?? { endpoint: "", accessKeyId: "", secretAccessKey: "" };
    const { bucket } = await freshBucket(access, "");
    const store = {
      S3_ENDPOINT: access.endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: access.accessKeyId,
      S3_SECRET_ACCESS_KEY: access.secretAccessKey,
    };
    expect(await notWell(store)).not.toContainEqual(expect.stringContaining("store"));
    expect(await notWell({ ...store, S3_BUCKET: "not-there" })).toContain("broken store_no_bucket");
    expect(await notWell({ ...store, S3_SECRET_ACCESS_KEY: "wrong" })).toContain("broken store_denied");
    expect(await notWell({ ...store, S3_ENDPOINT: "http://127.0.0.1:1" })).toContain("broken store_unreachable");
  });

  describe("a server that was started without what it needs", () => {
    let program: Program;
    let api: Client;
    beforeAll(async () => {
      program = await startProgram({
        ...engine,
        JOB_IMAGE: "codehub/nowhere:1",
        HOST_PORTS_FROM: "53001",
        HOST_PORTS_TO: "53099",
      });
      api = await apiAs(program.url);
    });
    afterAll(async () => await program?.stop());

    it("says so where it says that it is up, on the page of a workspace, and to administrators", async () => {
      await vi.waitFor(() => expect(program.said()).toContain("docker build -t codehub/nowhere:1"));
      expect(program.said()).toMatch(/is up, and something is broken:/);
      expect(program.said()).toContain("The image codehub/nowhere:1, which archives and restores homes, is not on");
      const { id } = await api.createWorkspace({ body: { name: "waiting" } });
      await vi.waitFor(
        async () => {
          const { error } = await api.getWorkspace({ params: { id } });
          expect(error?.message).toMatch(/^The image that archives and restores homes is not on the engine\./);
          expect(error?.fields).toMatchObject({ failure: "job_image_missing", image: "codehub/nowhere:1" });
        },
        { timeout: 60_000, interval: 200 },
      );
      const { healthy, findings: found } = await api.getExamination();
      expect(healthy).toBe(false);
      expect(found.filter(({ level }) => level === "broken").map(({ code }) => code)).toEqual(["job_image_missing"]);
    });
  });
});
