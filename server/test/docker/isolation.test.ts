import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { ContainerSeen } from "#core/rows/observation.ts";
import { ask, runInside } from "../runtime/ask.ts";
import { type DockerHarness, dockerHarness } from "./docker-harness.ts";
import { type PrivateEngine, startEngine } from "./private-engine.ts";
import { startWorkspace } from "./start-workspace.ts";

const run = promisify(execFile);
const available = inject("dockerHost") !== null;

/** From inside one workspace: what can be reached? The engine is this file's own, because it is restarted. */
describe.skipIf(!available)("a workspace's network", () => {
  let engine: PrivateEngine;
  let harness: DockerHarness;
  let services: Server;
  let servicePort = 0;
  beforeAll(async () => {
    engine = await startEngine();
    harness = await dockerHarness(engine.host);
    // Stands for the database, Redis, the API: it listens on every address of the host.
    services = createServer((socket) => socket.on("error", () => {}).end("a service of the host\n")).listen(
      0,
      "0.0.0.0",
    );
    await once(services, "listening");
    const address = services.address();
    servicePort = typeof address === "object" && address !== null ? address.port : 0;
  });
  afterAll(async () => {
    services?.close();
    await harness?.close();
    await engine?.[Symbol.asyncDispose]();
  });

  interface Addresses {
    readonly ip: string;
    readonly gateway: string;
  }
  const addressesOf = async (container: ContainerSeen): Promise<Addresses> => {
    const seen = await harness.engine.need<{
      NetworkSettings: { Networks: Record<string, { IPAddress: string; Gateway: string }> };
    }>("GET", `/containers/${container.id}/json`);
    const [network] = Object.values(seen.NetworkSettings.Networks);
    return { ip: network?.IPAddress ?? "", gateway: network?.Gateway ?? "" };
  };
  /** Which of these can be connected to, all tried at once from inside. */
  const reachable = async (from: ContainerSeen, targets: readonly [string, number][]): Promise<[string, number][]> => {
    const program = `const t=${JSON.stringify(targets)};
      Promise.all(t.map(([host,port])=>new Promise(done=>{const s=require('net').connect({host,port,timeout:2000});
      s.on('connect',()=>done([host,port]));s.on('error',()=>done(null));s.on('timeout',()=>done(null));})))
      .then(all=>{console.log(JSON.stringify(all.filter(Boolean)));process.exit()})`;
    const { text } = await runInside(from, `node -e "$(echo ${Buffer.from(program).toString("base64")} | base64 -d)"`);
    return JSON.parse(text) as [string, number][];
  };

  const expectIsolated = async (mine: ContainerSeen, other: ContainerSeen): Promise<void> => {
    const [own, theirs] = [await addressesOf(mine), await addressesOf(other)];
    const otherPort = Number(await ask(other, "/listen"));
    const hostAddresses = Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).filter((one) => one.family === "IPv4" && !one.internal).map((one) => one.address),
    );
    const targets: [string, number][] = [
      ...(mine.id === other.id
        ? []
        : ([
            [theirs.ip, 8080],
            [theirs.ip, otherPort],
          ] as [string, number][])),
      [theirs.gateway, 8080],
      ["169.254.169.254", 80],
      ["127.0.0.1", servicePort],
      ...[own.gateway, theirs.gateway, ...hostAddresses].map((address): [string, number] => [address, servicePort]),
    ];
    expect(await reachable(mine, targets)).toEqual([]);
  };

  it("reaches neither other workspaces nor the host's services nor a metadata address, also after restarts", async () => {
    const [mine, other] = [await startWorkspace(harness), await startWorkspace(harness)];
    await expectIsolated(mine, other);

    // A firewall reload, as firewalld does it: the engine's own rules are gone. Not beside somebody's own engine.
    if (!existsSync("/var/run/docker.sock")) {
      for (const chain of ["DOCKER-ISOLATION-STAGE-1", "DOCKER-ISOLATION-STAGE-2", "DOCKER-USER"]) {
        await run("iptables", ["-F", chain]);
      }
      await expectIsolated(mine, other);
    }

    await engine.stop();
    await engine.start();
    for (const container of await harness.runtime.list()) await harness.runtime.remove(container.id, 0);
    await expectIsolated(await startWorkspace(harness), await startWorkspace(harness));
  });

  it("is open to the host without our rules, and closed again by the next server that starts", async () => {
    const before = await startWorkspace(harness);
    await run("nft", ["delete", "table", "inet", `codehub-${harness.deploymentId}`]);
    const { gateway } = await addressesOf(before);
    expect(await reachable(before, [[gateway, servicePort]])).toEqual([[gateway, servicePort]]);
    const fresh = await dockerHarness(engine.host, { deploymentId: harness.deploymentId });
    await expectIsolated(await startWorkspace(fresh), before);
    await expectIsolated(before, before);
    await fresh.close();
  });

  it("starts nothing when the rules cannot be set", async () => {
    const open = await dockerHarness(engine.host, { jobImage: "codehub-test/fake:missing" });
    await expect(startWorkspace({ ...open, makeVolume: harness.makeVolume })).rejects.toThrow();
    expect(await open.runtime.list()).toEqual([]);
  });

  it("resolves names and reaches the world outside, where this machine does", async ({ skip }) => {
    // Whatever this machine installs its packages from is a host that it reaches.
    const target = new URL((await run("npm", ["config", "get", "registry"])).stdout.trim()).hostname;
    const here = await run("node", [
      "-e",
      `require('net').connect({host:'${target}',port:443,timeout:3000}).on('connect',()=>process.exit(0)).on('error',()=>process.exit(1)).on('timeout',()=>process.exit(1))`,
    ]).then(
      () => true,
      () => false,
    );
    if (!here) return skip("this machine reaches nothing outside");
    const mine = await startWorkspace(harness);
    expect(await reachable(mine, [[target, 443]])).toEqual([[target, 443]]);
  });
});
