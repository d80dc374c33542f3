import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { inspectContainer } from "#adapters/docker/containers.ts";
import { ensureNetwork } from "#adapters/docker/network.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import type { Address } from "#core/rows/workspace.ts";
import { type Front, startFront } from "../proxy/harness.ts";
import { ask, runInside } from "../runtime/ask.ts";
import { type DockerHarness, dockerHarness } from "./docker-harness.ts";
import { type PrivateEngine, startEngine } from "./private-engine.ts";
import { startWorkspace } from "./start-workspace.ts";

const run = promisify(execFile);
const host = inject("dockerHost");
const never = new AbortController().signal;

async function ownAddress({ engine }: DockerHarness, { id }: ContainerSeen): Promise<string> {
  const container = await inspectContainer(engine, id);
  return Object.values(container?.NetworkSettings.Networks ?? {})[0]?.IPAddress ?? "";
}

async function publishedPorts({ engine }: DockerHarness, { id }: ContainerSeen): Promise<unknown[]> {
  const seen = await engine.need<{ HostConfig: { PortBindings: Record<string, unknown[]> | null } }>(
    "GET",
    `/containers/${id}/json`,
  );
  return Object.values(seen.HostConfig.PortBindings ?? {}).flat();
}

function addressOf({ address }: ContainerSeen): Extract<Address, { kind: "tcp" }> {
  if (address?.kind !== "tcp") throw new Error("it has no address");
  return address;
}

describe.skipIf(host === null)("where a workspace on Docker is reached", () => {
  const harnesses: DockerHarness[] = [];
  let front: Front;
  const deployment = async (): Promise<DockerHarness> => {
    const harness = await dockerHarness(host ?? "");
    harnesses.push(harness);
    return harness;
  };
  /** What a person gets from the proxy whose row says that the workspace is there. */
  const visit = async (container: ContainerSeen): Promise<{ status: number; body: string }> => {
    const { world, origins } = front;
    const user = world.addUser();
    const row = world.running(user, addressOf(container));
    const { host: name } = origins.workspace(row, null);
    const cookie = `__Host-codehub_ws=${world.admit(row, world.login(user).record.sessionId)}`;
    return await front.ask({ host: name, path: "/run?command=echo+hello", headers: { cookie } });
  };
  beforeAll(async () => {
    front = await startFront();
  });
  afterEach(async () => {
    for (const harness of harnesses.splice(0)) await harness.close();
  });
  afterAll(async () => {
    await front?.stop();
  });

  it("is the container's own address, and nothing is published", async () => {
    const harness = await deployment();
    front.world.confirms = harness.runtime.confirms;
    const container = await startWorkspace(harness);
    expect(addressOf(container)).toMatchObject({ host: await ownAddress(harness, container), port: 8080 });
    expect(addressOf(container).host).toMatch(/^198\.1[89]\./);
    expect(await publishedPorts(harness, container)).toEqual([]);
    expect(await runInside(container, "echo hello")).toEqual({ code: 0, text: "hello\n" });
    expect(await visit(container)).toMatchObject({ status: 200, body: '{"code":0,"text":"hello\\n"}' });
    const later = await harness.restarted();
    expect(await later.inspect(container.workspaceId)).toEqual([container]);
    expect(await later.answers(addressOf(container))).toBe(true);
  });

  it("is never another workspace, when the two have changed places", async () => {
    const harness = await deployment();
    const [here, there] = [await harness.hostPort(), await harness.hostPort()];
    const first = await startWorkspace(harness, { hostPort: here });
    const second = await startWorkspace(harness, { hostPort: there });
    for (const one of [first, second]) await harness.runtime.remove(one.id, 0);
    const again = async ({ workspaceId, volume }: ContainerSeen, hostPort: number | null): Promise<ContainerSeen> =>
      await startWorkspace(harness, { workspaceId, volume: volume ?? "", hostPort });
    const [firstNow, secondNow] = [await again(first, there), await again(second, here)];
    expect(addressOf(firstNow).host).toBe(addressOf(second).host);
    expect(addressOf(secondNow).host).toBe(addressOf(first).host);
    front.world.confirms = harness.runtime.confirms;
    for (const now of [firstNow, secondNow]) expect(await visit(now)).toMatchObject({ status: 200 });
    // Rows that a server remembers from before.
    for (const stale of [first, second]) {
      expect(await visit(stale)).toMatchObject({ status: 502 });
      expect(await harness.runtime.answers(addressOf(stale))).toBe(false);
    }
  });

  it("is never another deployment's workspace, when somebody has removed the network in between", async () => {
    const [mine, others] = [await deployment(), await deployment()];
    const hostPort = await mine.hostPort();
    const container = await startWorkspace(mine, { hostPort });
    const [network = ""] = Object.keys(
      (await inspectContainer(mine.engine, container.id))?.NetworkSettings.Networks ?? {},
    );
    await mine.runtime.remove(container.id, 0);
    await mine.engine.need("DELETE", `/networks/${network}`);
    const foreign = await startWorkspace(others, { hostPort });
    expect(addressOf(foreign).host).toBe(addressOf(container).host);
    front.world.confirms = mine.runtime.confirms;
    expect(await visit(container)).toMatchObject({ status: 502 });
    expect(await visit(foreign)).toMatchObject({ status: 200 });
  });

  it("is refused at the start when another one is behind it, and nothing else is tried", async () => {
    const harness = await deployment();
    const hostPort = (await harness.hostPort()) ?? 0;
    const network = await ensureNetwork(harness.engine, harness.deploymentId, hostPort, hostPort - 20_000);
    const route = JSON.parse((await run("ip", ["-j", "route", "get", network.host])).stdout);
    const neighbour = [network.host, "lladdr", "02:00:00:00:00:01", "nud", "permanent", "dev", route[0].dev];
    await run("ip", ["neigh", "add", ...neighbour]);
    await expect(startWorkspace(harness, { hostPort })).rejects.toThrow(/Another container answers/);
    const left = await harness.runtime.list();
    expect(await Promise.all(left.map((one) => publishedPorts(harness, one)))).toEqual([[]]);
  });

  it("is confirmed for a port of a workspace too", async () => {
    const harness = await deployment();
    const container = await startWorkspace(harness);
    const port = Number(await ask(container, "/listen"));
    const address = await harness.runtime.portAddress(container.id, port);
    if (address?.kind !== "tcp") throw new Error("the port is not reached");
    expect(await harness.runtime.answers(address)).toBe(true);
    expect(await harness.runtime.confirms(address)).toBe(true);
    expect(await harness.runtime.confirms({ ...address, mac: "02:00:00:00:00:01" })).toBe(false);
  });
});

describe.skipIf(host === null)("an engine whose containers cannot be reached at their addresses", () => {
  let engine: PrivateEngine | null = null;
  afterEach(async () => {
    await engine?.[Symbol.asyncDispose]();
    engine = null;
  });

  it("in a network of its own, as without root or in a virtual machine: the port is published on its loopback", async () => {
    engine = await startEngine("fake", [], ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]);
    const harness = await dockerHarness(engine.host);
    const hostPort = await harness.hostPort();
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const volume = await harness.makeVolume(workspaceId, attempt);
    const spec = { workspaceId, attempt, volume, imageRef: harness.imageRef, hostPort, ownerId: randomUUID() };
    const { containerId, address } = await harness.runtime.start(spec, never);
    expect(address).toEqual({ kind: "tcp", host: "127.0.0.1", port: hostPort });
    expect(await harness.runtime.inspect(workspaceId)).toMatchObject([{ id: containerId, address }]);
    const inside = ["-t", String(engine.pid()), "-n", process.execPath, "-e"];
    const program = `fetch("http://127.0.0.1:${hostPort}/healthz").then(async (r) => console.log(await r.text()))`;
    const answer = async (): Promise<string> => (await run("nsenter", [...inside, program])).stdout.trim();
    await vi.waitFor(async () => expect(await answer()).toBe("ok"), { timeout: 60_000, interval: 100 });
    await harness.close();
  });

  it("behind a rule that refuses them: the port is published instead, at once from then on", async () => {
    // The kernel itself passes published ports on, so that a rule can tell them from connections to the container.
    engine = await startEngine("fake", ["--userland-proxy=false"]);
    const warnings: string[] = [];
    const harness = await dockerHarness(engine.host, {
      logger: { warn: (_fields, message) => warnings.push(message) },
    });
    const hostPort = (await harness.hostPort()) ?? 0;
    const network = await ensureNetwork(harness.engine, harness.deploymentId, hostPort, hostPort - 20_000);
    const table = `codehub-test-${process.pid}`;
    await run("nft", [
      `table inet ${table} { chain output { type filter hook output priority 0; ct original ip daddr ${network.host} reject; }; }`,
    ]);
    try {
      const container = await startWorkspace(harness, { hostPort });
      expect(addressOf(container)).toEqual({ kind: "tcp", host: "127.0.0.1", port: hostPort });
      expect(await runInside(container, "echo hello")).toEqual({ code: 0, text: "hello\n" });
      expect(await harness.runtime.list()).toEqual([container]);
      const next = await startWorkspace(harness);
      expect(addressOf(next).host).toBe("127.0.0.1");
      expect(warnings).toEqual([expect.stringContaining("published")]);
    } finally {
      await run("nft", ["delete", "table", "inet", table]);
      await harness.close();
    }
  });
});
