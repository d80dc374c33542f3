import { randomUUID } from "node:crypto";
import { readlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { runToEnd } from "#adapters/docker/containers.ts";
import { jobContainer } from "#adapters/docker/jobs.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import type { StartWaiting } from "#ports/runtime.ts";
import { runInside } from "../runtime/ask.ts";
import { type DockerHarness, dockerHarness, FAKE_IMAGE, JOB_IMAGE } from "./docker-harness.ts";
import { imageRegistry } from "./image-registry.ts";
import { startWorkspace } from "./start-workspace.ts";

const host = inject("dockerHost");

describe.skipIf(host === null)("a container on Docker", () => {
  let harness: DockerHarness;
  let container: ContainerSeen;
  beforeAll(async () => {
    harness = await dockerHarness(host ?? "");
    container = await startWorkspace(harness);
  });
  afterAll(async () => {
    await harness?.close();
  });

  it("is shut in, as the engine itself tells", async () => {
    const seen = await harness.engine.need<Inspected>("GET", `/containers/${container.id}/json`);
    expect(seen.Name).toBe(`/ws-${container.workspaceId}`);
    expect(seen.Config.User).toBe("1000:1000");
    expect(seen.HostConfig).toMatchObject({
      Privileged: false,
      CapDrop: ["ALL"],
      CapAdd: null,
      SecurityOpt: ["no-new-privileges"],
      PidsLimit: 256,
      Memory: 512 * 1024 * 1024,
      MemorySwap: 512 * 1024 * 1024,
      NanoCpus: 1e9,
      Init: true,
      PidMode: "",
      IpcMode: "private",
      UTSMode: "",
      UsernsMode: "",
      Binds: null,
      Devices: null,
      RestartPolicy: { Name: "no" },
      LogConfig: { Type: "json-file", Config: { "max-size": "2m", "max-file": "2" } },
    });
    expect(seen.HostConfig.PortBindings).toEqual({});
    expect(seen.HostConfig.NetworkMode).toMatch(/^codehub-/);
    // The home, and the volume it lies in; nothing else of the host, and no engine's socket.
    expect(seen.Mounts.map((mount) => [mount.Type, mount.Destination, mount.RW]).sort()).toEqual([
      ["bind", "/home/coder", true],
      ["volume", "/.codehub-volume", false],
    ]);
    const home = seen.Mounts.find((mount) => mount.Type === "bind");
    const volume = seen.Mounts.find((mount) => mount.Type === "volume");
    expect(home?.Source).toBe(`${volume?.Source}/home`);
  });

  it("stands behind those that run until it is said to have come up, and then beside them", async () => {
    const shares = async () =>
      (await harness.engine.need<Inspected>("GET", `/containers/${container.id}/json`)).HostConfig.CpuShares;
    expect(await shares()).toBe(256);
    await harness.runtime.cameUp(container.id);
    await harness.runtime.cameUp(container.id);
    expect(await shares()).toBe(1_024);
    await expect(harness.runtime.cameUp(randomUUID())).rejects.toThrow("not found");
  });

  it("has no rights inside, as the kernel tells", async () => {
    const { text } = await runInside(container, "cat /proc/self/status; id -u");
    expect(text).toMatch(/^CapEff:\t0{16}$/m);
    expect(text).toMatch(/^CapBnd:\t0{16}$/m);
    expect(text).toMatch(/^NoNewPrivs:\t1$/m);
    expect(text).toMatch(/^Seccomp:\t2$/m);
    expect(text).toMatch(/^1000$/m);
  });

  it("can use its home, and neither read nor change what names its volume", async () => {
    expect(await runInside(container, "cd && touch file && ls")).toMatchObject({ code: 0, text: "file\n" });
    for (const command of [
      "cat /.codehub-volume/.codehub/volume-id",
      "ls /.codehub-volume/.codehub",
      "touch /.codehub-volume/x",
      "touch /.codehub-volume/home/x",
      "mv /home/coder /home/other",
    ]) {
      expect(await runInside(container, command), command).not.toMatchObject({ code: 0 });
    }
  });

  it("cannot have more processes or memory than it may", async () => {
    const bomb = await runInside(container, "i=0; while [ $i -lt 400 ]; do sleep 5 & i=$((i+1)); done; wait");
    expect(bomb.text).toMatch(/can't fork|Resource temporarily unavailable/);
    const hog = await runInside(container, "tail /dev/zero; echo ended $?");
    expect(hog.text).toContain("ended 137");
    expect(await harness.runtime.answers(container.address ?? { kind: "unix", path: "" })).toBe(true);
  });

  it("keeps its log within bounds", async () => {
    const { HostConfig } = await harness.engine.need<Inspected>("GET", `/containers/${container.id}/json`);
    expect(HostConfig.LogConfig.Config).toEqual({ "max-size": "2m", "max-file": "2" });
    expect((await harness.runtime.logs(container.id, 5)).split("\n").length).toBeLessThanOrEqual(6);
  });

  it("refuses images that are not on the list, at the pull and at the start", async () => {
    const never = new AbortController().signal;
    for (const image of [
      "docker.io/library/alpine:3",
      "codehub-testing/fake",
      "Codehub-test/x",
      "codehub-test/../x y",
    ]) {
      await expect(harness.runtime.ensureImage(image, () => {}, never)).rejects.toMatchObject({
        reason: "ImagePullFailed",
      });
    }
    await expect(startWorkspace(harness, { imageRef: "evil/image" })).rejects.toThrow(/not on the list/);
    await harness.runtime.ensureImage(FAKE_IMAGE, () => {}, never);
  });

  it("tells how far the pull of an image is, and since when, until it is there", async () => {
    await using registry = await imageRegistry();
    const { imageRef, layerBytes } = registry;
    const open = await dockerHarness(host ?? "", { imageAllowlist: [imageRef] });
    const told: StartWaiting[] = [];
    const before = Date.now();
    const pull = open.runtime.ensureImage(
      imageRef,
      (waiting) => {
        told.push(waiting);
        if (waiting.fields["total_bytes"] === layerBytes) registry.release();
      },
      new AbortController().signal,
    );
    await pull;
    expect(new Set(told.map(({ code }) => code))).toEqual(new Set(["pulling"]));
    const half = told.find(({ fields }) => fields["total_bytes"] === layerBytes);
    expect(half?.fields["done_bytes"]).toBeLessThan(layerBytes);
    expect(new Set(told.map(({ since }) => since)).size).toBe(1);
    expect(half?.since).toBeGreaterThanOrEqual(before);
    const again: StartWaiting[] = [];
    await open.runtime.ensureImage(imageRef, (waiting) => again.push(waiting), new AbortController().signal);
    expect(again).toEqual([]);
    await open.engine.call("DELETE", `/images/${imageRef}`);
  });

  it("pulls with the credential it was given, and not without", async () => {
    await using registry = await imageRegistry(1_024, "puller:secret");
    const { imageRef } = registry;
    registry.release();
    const open = await dockerHarness(host ?? "", { imageAllowlist: [imageRef] });
    const credential = { registry: imageRef.split("/")[0] ?? "", user: "puller", password: "secret" };
    const pull = (given?: typeof credential): Promise<void> =>
      open.runtime.ensureImage(imageRef, () => {}, new AbortController().signal, given);
    await expect(pull()).rejects.toMatchObject({ reason: "ImagePullFailed" });
    await expect(pull({ ...credential, password: "guessed" })).rejects.toMatchObject({ reason: "ImagePullFailed" });
    await pull(credential);
    await open.engine.call("DELETE", `/images/${imageRef}`);
  });

  it("tells why an image cannot be had", async () => {
    const never = new AbortController().signal;
    const missing = `127.0.0.1:9/codehub-test/${randomUUID()}`;
    const open = await dockerHarness(host ?? "", { imageAllowlist: ["127.0.0.1:9/*"] });
    const pull = open.runtime.ensureImage(missing, () => {}, never);
    await expect(pull).rejects.toMatchObject({ reason: "ImagePullFailed" });
    await expect(pull).rejects.toThrow(/could not be pulled/);
  });

  it("is a storage job without a network, with one volume and four rights", () => {
    const labels = { workspaceId: randomUUID(), attempt: randomUUID() };
    const options = { deploymentId: "d", jobImage: "j" };
    const job = jobContainer(
      { request: { kind: "pack", workspaceId: "w" }, labels, volume: { name: "v", access: "read" } },
      options,
      null,
    );
    expect(job).toMatchObject({
      HostConfig: {
        NetworkMode: "none",
        CapDrop: ["ALL"],
        CapAdd: ["CHOWN", "FOWNER", "FSETID", "DAC_OVERRIDE"],
        ReadonlyRootfs: true,
        LogConfig: { Type: "none" },
        Mounts: [{ Type: "volume", Source: "v", ReadOnly: true, VolumeOptions: { NoCopy: true } }],
      },
    });
  });

  it("has no network but its own loopback in a storage job's container, and not the host's", async () => {
    const job = jobContainer(
      { request: { kind: "pack-empty" }, labels: { workspaceId: randomUUID(), attempt: randomUUID() }, volume: null },
      { deploymentId: harness.deploymentId, jobImage: JOB_IMAGE },
      null,
    ) as { readonly Image: string; readonly HostConfig: object };
    const config = {
      ...job,
      Entrypoint: ["sh", "-c", "readlink /proc/self/ns/net; cat /proc/net/dev /proc/net/route /proc/net/if_inet6"],
      Cmd: [],
      // Its output is read here; in other respects it is as jobs are.
      HostConfig: { ...job.HostConfig, AutoRemove: false, LogConfig: { Type: "json-file" } },
    };
    const said = await runToEnd(harness.engine, config, "looking at a job's network", 30_000);
    const [namespace, ...lines] = said.trim().split("\n");
    expect(namespace).toMatch(/^net:\[\d+\]$/);
    expect(namespace).not.toBe(readlinkSync("/proc/self/ns/net"));
    const interfaces = lines.flatMap((line) => /^\s*(\S+):\s+(\d+)/.exec(line)?.slice(1, 3) ?? []);
    expect(interfaces).toEqual(["lo", "0"]);
    expect(lines.filter((line) => /^\S+\t[0-9A-F]{8}\t/.test(line))).toEqual([]);
    expect(lines.filter((line) => /^[0-9a-f]{32} /.test(line) && !/ lo$/.test(line))).toEqual([]);
  });
});

interface Inspected {
  readonly Name: string;
  readonly Config: { readonly User: string };
  readonly HostConfig: {
    readonly CpuShares: number;
    readonly NetworkMode: string;
    readonly PortBindings: object;
    readonly LogConfig: { readonly Config: Record<string, string> };
  };
  readonly Mounts: readonly { Type: string; Destination: string; Source: string; RW: boolean }[];
}
