import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { afterEach, describe, expect, inject, it } from "vitest";
import { subnetOf as usualSubnetOf } from "#adapters/docker/subnets.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import { type DockerHarness, dockerHarness } from "./docker-harness.ts";
import { startWorkspace } from "./start-workspace.ts";

const run = promisify(execFile);
const host = inject("dockerHost");

/** Two servers that know nothing of each other use one engine. */
describe.skipIf(host === null)("the networks of two deployments on one engine", () => {
  const harnesses: DockerHarness[] = [];
  const deployment = async (from: number, to: number): Promise<DockerHarness> => {
    const harness = await dockerHarness(host ?? "", { deploymentId: randomUUID(), hostPorts: { from, to } });
    harnesses.push(harness);
    return harness;
  };
  const subnetOf = async ({ engine }: DockerHarness, { id }: ContainerSeen): Promise<string> => {
    const container = await engine.need<{ NetworkSettings: { Networks: Record<string, { NetworkID: string }> } }>(
      "GET",
      `/containers/${id}/json`,
    );
    const [network] = Object.values(container.NetworkSettings.Networks);
    const { IPAM } = await engine.need<{ IPAM: { Config: { Subnet: string }[] } }>(
      "GET",
      `/networks/${network?.NetworkID}`,
    );
    return IPAM.Config[0]?.Subnet ?? "";
  };
  afterEach(async () => {
    for (const harness of harnesses.splice(0)) await harness.close();
  });

  it("do not overlap where their port ranges begin at different ports", async () => {
    const one = await deployment(20_000, 29_999);
    const two = await deployment(30_000, 39_999);
    const first = await startWorkspace(one, { hostPort: 20_417 });
    const second = await startWorkspace(two, { hostPort: 30_417 });
    expect(await subnetOf(two, second)).not.toBe(await subnetOf(one, first));
  });

  it("do not overlap with a network of this machine that the engine does not know of, as another engine's", async () => {
    const one = await deployment(20_000, 52_000);
    const hostPort = (await one.hostPort()) ?? 0;
    const theirs = usualSubnetOf(hostPort - 20_000);
    const link = `cht${process.pid}`;
    await run("ip", ["link", "add", link, "type", "bridge"]);
    try {
      await run("ip", ["address", "add", theirs, "dev", link]);
      await run("ip", ["link", "set", link, "up"]);
      const container = await startWorkspace(one, { hostPort });
      expect(await subnetOf(one, container)).not.toBe(theirs);
    } finally {
      await run("ip", ["link", "delete", link]);
    }
  });

  it("do not overlap where a network is kept for a port that the other one uses now", async () => {
    const one = await deployment(20_000, 29_999);
    const two = await deployment(20_000, 29_999);
    const first = await startWorkspace(one, { hostPort: 20_417 });
    await one.runtime.remove(first.id, 0);
    const second = await startWorkspace(two, { hostPort: 20_417 });
    await two.runtime.remove(second.id, 0);
    // Each finds its own again.
    expect((await startWorkspace(one, { hostPort: 20_417 })).state).toBe("running");
  });
});
