import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { bridgePrefix } from "#adapters/docker/firewall-rules.ts";
import { DEPLOYMENT, labelFilter, WORKSPACE } from "#adapters/docker/labels.ts";
import { DockerSetupLauncher } from "#adapters/docker/setup-jobs.ts";
import { parseAllowedNetworks } from "#config/allowed-networks.ts";
import { SetupJobRunner } from "#jobs/setup-jobs.ts";
import type { CheckSpec } from "#ports/jobs.ts";
import { type DockerHarness, dockerHarness, JOB_IMAGE } from "./docker-harness.ts";

const host = inject("dockerHost");
const ADDRESS =
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "";

interface Inspected {
  readonly Config: { readonly User: string };
  readonly HostConfig: { readonly CapDrop: readonly string[]; readonly ReadonlyRootfs: boolean };
  readonly Mounts: readonly { readonly Type: string }[];
  readonly NetworkSettings: { readonly Networks: Record<string, { IPAddress: string; NetworkID: string }> };
}

/** A host that takes connections and says nothing. */
async function silentHost(): Promise<{ server: Server; port: number; seen: () => number }> {
  let seen = 0;
  const server = createServer((socket) => {
    seen += 1;
    socket.on("error", () => {});
  });
  server.listen(0, ADDRESS);
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port, seen: () => seen };
}

/** Where a job is that belongs to no workspace. */
describe.skipIf(host === null)("a job without a workspace on Docker", () => {
  let harness: DockerHarness;
  let listed: Awaited<ReturnType<typeof silentHost>>;
  let other: Awaited<ReturnType<typeof silentHost>>;
  const jobs = () => {
    const { engine, deploymentId, runtime } = harness;
    return new SetupJobRunner(new DockerSetupLauncher({ engine, deploymentId, jobImage: JOB_IMAGE, runtime }));
  };
  beforeAll(async () => {
    [listed, other] = [await silentHost(), await silentHost()];
    const { networks } = parseAllowedNetworks(`${ADDRESS}:${listed.port}`);
    harness = await dockerHarness(host ?? "", { reach: { allowed: networks, controlPlane: async () => [] } });
  });
  afterAll(async () => {
    for (const { server } of [listed, other]) server.close();
    await harness?.close();
  });

  const never = new AbortController().signal;
  const spec = (port: number, limitSeconds = 40): CheckSpec => ({
    ...{ checkId: randomUUID(), ownerId: randomUUID(), limitSeconds, files: [], env: {} },
    cloneUrl: `https://${ADDRESS}:${port}/team/app`,
  });
  const containerOf = async ({ checkId }: CheckSpec): Promise<Inspected | null> => {
    const filters = labelFilter({ [DEPLOYMENT]: harness.deploymentId, [WORKSPACE]: checkId });
    const [found] = await harness.engine.need<{ Id: string }[]>("GET", "/containers/json", { query: { filters } });
    return found === undefined ? null : await harness.engine.need<Inspected>("GET", `/containers/${found.Id}/json`);
  };
  const begun = async (one: CheckSpec): Promise<Inspected> => {
    await expect.poll(() => containerOf(one), { timeout: 30_000 }).not.toBeNull();
    return (await containerOf(one)) as Inspected;
  };

  it("is alone in a network of no port, behind the rules of this deployment, and its address is nobody else's", async () => {
    const [runner, another] = [jobs(), jobs()];
    const specs = [spec(listed.port), spec(listed.port)] as const;
    const running = specs.map((one) => runner.check(one, { signal: never }).catch(() => "ended"));
    const containers = await Promise.all(specs.map(begun));
    const addresses = new Set<string>();
    for (const { Config, HostConfig, Mounts, NetworkSettings } of containers) {
      expect([Config.User, HostConfig.CapDrop, HostConfig.ReadonlyRootfs]).toEqual(["1000:1000", ["ALL"], true]);
      expect(
        Mounts.filter(({ Type }) => Type !== "tmpfs"),
        "no volume and no folder of the host",
      ).toEqual([]);
      const [[name = "", { IPAddress, NetworkID }] = ["", { IPAddress: "", NetworkID: "" }], ...more] = Object.entries(
        NetworkSettings.Networks,
      );
      expect([name, more]).toEqual([expect.stringMatching(/-x\d$/), []]);
      addresses.add(IPAddress);
      const { Options } = await harness.engine.need<{ Options: Record<string, string> }>(
        "GET",
        `/networks/${NetworkID}`,
      );
      const bridge = Options["com.docker.network.bridge.name"] ?? "";
      expect(bridge.startsWith(bridgePrefix(harness.deploymentId)), bridge).toBe(true);
      expect(bridge.length).toBeLessThanOrEqual(15);
    }
    expect(addresses.size).toBe(2);
    // Who does not know of them, as another server after a crash, is kept out by the engine, and does them no harm.
    await expect(another.check(spec(listed.port), { signal: never })).rejects.toThrow(
      /no available addresses|address already in use/i,
    );
    expect(await Promise.all(specs.map(containerOf))).not.toContain(null);
    for (const { checkId } of specs) await harness.launcher.end(checkId);
    expect(await Promise.all(running)).toEqual(["ended", "ended"]);
    const late = await another.check(spec(listed.port, 1), { signal: never });
    expect(late.failure?.said, "the place is free again").toContain("no answer within 1 seconds");
  });

  it("reaches what workspaces may reach, and nothing else", async () => {
    const before = listed.seen();
    await jobs().check(spec(listed.port, 2), { signal: never });
    expect(listed.seen()).toBeGreaterThan(before);
    const refused = await jobs().check(spec(other.port, 2), { signal: never });
    expect([refused.failure === null, other.seen()]).toEqual([false, 0]);
  });

  it("is one of a few at once, and says so in words", async () => {
    const runner = jobs();
    const stop = new AbortController();
    const many = Array.from({ length: 5 }, () =>
      runner.check(spec(listed.port), { signal: stop.signal }).then(
        () => "answered",
        (error: Error) => error.message,
      ),
    );
    expect(await Promise.race(many)).toBe("There are too many such jobs at once.");
    stop.abort(new Error("not wanted"));
    expect((await Promise.all(many)).toSorted()).toEqual([
      "There are too many such jobs at once.",
      ...Array.from({ length: 4 }, () => "not wanted"),
    ]);
  });
});
