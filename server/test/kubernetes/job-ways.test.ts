import { randomUUID } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Cluster } from "#adapters/kubernetes/cluster.ts";
import { KubernetesJobLauncher } from "#adapters/kubernetes/jobs.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import { StorageJobRunner } from "#jobs/storage-jobs.ts";
import type { ArchiveSpec } from "#ports/jobs.ts";
import { startWorkspace } from "../docker/start-workspace.ts";
import { runInside } from "../runtime/ask.ts";
import { delegate } from "../suites/storage-jobs-suite.ts";
import { type KubernetesDataPlane, kubernetesDataPlane } from "./kubernetes-data-plane.ts";

const cluster = inject("cluster");
const s3 = inject("s3");
const quiet = { onProgress: () => {}, signal: new AbortController().signal };

/** What is different about jobs that are pods far away: how they get their addresses, and how their word comes back. */
describe.skipIf(cluster === null || cluster.dir === null || s3 === null)("jobs of a cluster", () => {
  let plane: KubernetesDataPlane;
  beforeAll(async () => {
    if (cluster !== null && s3 !== null) plane = await kubernetesDataPlane(cluster, s3);
  });
  afterAll(async () => {
    await plane?.close();
  });

  const home = async (): Promise<ArchiveSpec> => {
    const [workspaceId, attempt, next] = [randomUUID(), randomUUID(), randomUUID()];
    const volume = volumeName(workspaceId, attempt);
    await plane.volumes.create({ name: volume, workspaceId, attempt });
    await plane.fill(volume);
    await plane.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
    return { workspaceId, attempt: next, volume, key: archiveKey(workspaceId, next) };
  };

  it("archives no older disk of the same workspace that somebody put behind the claim", async () => {
    const spec = await home();
    const file = join(plane.homePath(spec.volume), "../.codehub/volume-id");
    const identity = JSON.parse(readFileSync(file, "utf8")) as object;
    writeFileSync(file, `${JSON.stringify({ ...identity, attempt: randomUUID() })}\n`);
    await expect(plane.jobs(plane.store).archive(spec, quiet)).rejects.toThrow(/not the home it should be/);
    expect(await plane.store.head(spec.key)).toBeNull();
  });

  it("has as many Secrets as its addresses need", async () => {
    const spec = await home();
    const many = { ...delegate(plane.store), sign: sign.bind(null, 5_000) };
    function sign(count: number, key: string, upload: string, _parts: number, validSeconds: number) {
      return plane.store.sign?.(key, upload, count, validSeconds) ?? Promise.reject(new Error("no addresses"));
    }
    const facts = await plane.jobs(many).archive(spec, quiet);
    expect(facts.entryCount).toBeGreaterThan(200);
  });

  it("is believed without its log, by its last words and what the store has", async () => {
    const spec = await home();
    const { client, namespace, pods, jobs, volumes } = plane.harness;
    // As when the connection to the node breaks, for as long as the job runs.
    const deaf = new Proxy<Cluster>(client, {
      get: (target, name) => {
        if (name === "stream") return () => Promise.reject(new Error("the log is not to be had"));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const common = { namespace, pods, jobs, volumes, jobImage: "codehub-test/job:latest", storeCa: null };
    const launcher = new KubernetesJobLauncher({ ...common, cluster: deaf, longestSeconds: 900 });
    const runner = new StorageJobRunner({ store: plane.store, launcher, clock, ids });
    const facts = await runner.archive(spec, quiet);
    expect(await plane.store.head(spec.key)).toMatchObject({ sizeBytes: facts.sizeBytes });
  });

  it("locks again at the next start what an archive that was cut short has left open", async () => {
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const volume = volumeName(workspaceId, attempt);
    await plane.volumes.create({ name: volume, workspaceId, attempt });
    await plane.fill(volume);
    await plane.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
    const file = join(plane.homePath(volume), "noise");
    chmodSync(file, 0o400);
    const list = join(plane.homePath(volume), "../.codehub/locked");
    writeFileSync(list, "chmod 00000 'home/noise'\n");
    const container = await startWorkspace(plane.harness, { workspaceId, volume });
    expect(await runInside(container, "stat -c %a /home/coder/noise")).toEqual({ code: 0, text: "0\n" });
    await plane.harness.runtime.remove(container.id, 1);
  });
});
