import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { parseAllowedNetworks } from "#config/allowed-networks.ts";
import type { ControlPoint, Reach } from "#core/reach/reach.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import { runInside } from "../runtime/ask.ts";
import { type DockerHarness, dockerHarness } from "./docker-harness.ts";
import { startWorkspace } from "./start-workspace.ts";

const run = promisify(execFile);
const host = inject("dockerHost");

/** A machine of the house is a namespace of its own behind a wire; with two addresses, and one that looks like a cloud's metadata. */
const HOUSE = `codehub-${process.pid}`;
const WIRE = `chr${process.pid}`;
const [THIS, GIT, DATABASE, METADATA] = ["10.211.77.1", "10.211.77.2", "10.211.77.3", "169.254.77.2"];
const [WEB, OTHER] = [18_080, 18_081];

const LISTEN = `for (const port of [${WEB}, ${OTHER}])
  require("net").createServer((socket) => socket.on("error", () => {}).end()).listen(port, "0.0.0.0", () => console.log("up"));`;

/** Tried from inside: what is listed is reached, and nothing else is. Everything listens. */
describe.skipIf(host === null)("what workspaces may reach besides the internet", { concurrent: false }, () => {
  const harnesses: DockerHarness[] = [];
  const servers: Server[] = [];
  let house: ChildProcess;

  beforeAll(async () => {
    await run("ip", ["netns", "add", HOUSE]);
    await run("ip", ["link", "add", WIRE, "type", "veth", "peer", "name", "house", "netns", HOUSE]);
    await run("ip", ["address", "add", `${THIS}/24`, "dev", WIRE]);
    await run("ip", ["link", "set", WIRE, "up"]);
    const inHouse = ["netns", "exec", HOUSE, "ip"];
    for (const address of [`${GIT}/24`, `${DATABASE}/24`, `${METADATA}/32`])
      await run("ip", [...inHouse, "address", "add", address, "dev", "house"]);
    await run("ip", [...inHouse, "link", "set", "house", "up"]);
    await run("ip", ["route", "add", `${METADATA}/32`, "dev", WIRE, "src", THIS]);
    house = spawn("ip", ["netns", "exec", HOUSE, process.execPath, "-e", LISTEN], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    for (let up = 0; up < 2; ) up += String(await once(house.stdout ?? process.stdin, "data")).split("up").length - 1;
    for (const port of [WEB, OTHER]) {
      const server = createServer((socket) => socket.on("error", () => {}).end()).listen(port, "0.0.0.0");
      await once(server, "listening");
      servers.push(server);
    }
  });
  afterAll(async () => {
    for (const harness of harnesses) await harness.close();
    for (const server of servers) server.close();
    house?.kill();
    await run("ip", ["link", "delete", WIRE]).catch(() => null);
    await run("ip", ["netns", "delete", HOUSE]).catch(() => null);
  });

  const reach = (list: string, controlPlane: readonly ControlPoint[] = []): Reach => {
    const { networks, problems } = parseAllowedNetworks(list);
    expect(problems).toEqual([]);
    return { allowed: networks, controlPlane: async () => controlPlane };
  };
  const deployment = async (deploymentId: string, reach: Reach): Promise<DockerHarness> => {
    const harness = await dockerHarness(host ?? "", { deploymentId, reach });
    harnesses.push(harness);
    return harness;
  };
  const places = {
    "git:web": [GIT, WEB],
    "git:other": [GIT, OTHER],
    "database:web": [DATABASE, WEB],
    "database:other": [DATABASE, OTHER],
    "metadata:web": [METADATA, WEB],
    "host:web": [THIS, WEB],
    "host:other": [THIS, OTHER],
  } as const;
  const EVERYTHING = Object.keys(places);
  const reached = async (from: ContainerSeen): Promise<string[]> => {
    const program = `Promise.all(${JSON.stringify(Object.entries(places))}.map(([name,[host,port]])=>new Promise(done=>{
      const s=require('net').connect({host,port,timeout:2000});
      s.on('connect',()=>done(name));s.on('error',()=>done(null));s.on('timeout',()=>done(null));})))
      .then(all=>{console.log(JSON.stringify(all.filter(Boolean)));process.exit()})`;
    const { text } = await runInside(from, `node -e "$(echo ${Buffer.from(program).toString("base64")} | base64 -d)"`);
    return JSON.parse(text);
  };
  const tables = async (): Promise<string> => (await run("nft", ["list", "tables"])).stdout;

  // They begin alike, so that whatever is made of the beginning of an id alone would mix them.
  const ids = [1, 2, 3].map((one) => `${process.pid.toString(16).padStart(8, "a")}-0000-4000-8000-00000000000${one}`);
  const [first = "", second = "", third = ""] = ids;

  it("is its own list for each of two deployments on one engine, and nothing else", async () => {
    const one = await deployment(first, reach(`${GIT}:${WEB},${THIS}:${OTHER}`));
    const two = await deployment(second, reach("10.211.77.0/24,169.0.0.0/8", [{ address: DATABASE, port: OTHER }]));
    const [mine, theirs] = [await startWorkspace(one), await startWorkspace(two)];
    // An address and port of the host itself too, if exactly that is listed.
    expect(await reached(mine)).toEqual(["git:web", "host:other"]);
    // A network opens neither the host nor the metadata in it, nor the control plane.
    expect(await reached(theirs)).toEqual(["git:web", "git:other", "database:web"]);
  });

  it("comes back as it was when the rules were flushed", async () => {
    const one = await deployment(first, reach(`${GIT}:${WEB}`));
    const mine = await startWorkspace(one);
    await run("nft", ["delete", "table", "inet", `codehub-${first}`]);
    expect(await reached(mine)).toEqual(EVERYTHING);
    await startWorkspace(await deployment(first, reach(`${GIT}:${WEB}`)));
    expect(await reached(mine)).toEqual(["git:web"]);
  });

  it("is never a port of the control plane on the host, and no such port anywhere while its name is not found", async () => {
    const list = `${THIS}:${WEB},${THIS}:${OTHER},${GIT},${DATABASE}`;
    const three = await deployment(third, reach(list, [{ address: "203.0.113.7", port: WEB }]));
    const mine = await startWorkspace(three);
    expect(await reached(mine)).toEqual(["git:web", "git:other", "database:web", "database:other", "host:other"]);
    await (await deployment(third, reach(list, [{ address: null, port: WEB }]))).runtime.keepApart();
    expect(await reached(mine)).toEqual(["git:other", "database:other", "host:other"]);
    await (await deployment(third, reach(""))).runtime.keepApart();
    expect(await reached(mine)).toEqual([]);
  });

  it("leaves the table of earlier versions alone while a bridge of theirs is there", async ({ skip }) => {
    if (existsSync("/var/run/docker.sock")) return skip("somebody's own engine may need that table");
    const theirs = readdirSync("/sys/class/net").filter((name) => name.startsWith("chw"));
    expect(theirs, "bridges of another test").toEqual([]);
    const one = await deployment(first, reach(""));
    await run("nft", [
      "table inet codehub { chain forward { type filter hook forward priority -10; policy accept; }; }",
    ]);
    await run("ip", ["link", "add", "chwffff-20000", "type", "bridge"]);
    try {
      await one.runtime.keepApart();
      expect(await tables()).toMatch(/^table inet codehub$/m);
    } finally {
      await run("ip", ["link", "delete", "chwffff-20000"]);
    }
    await (await deployment(first, reach(""))).runtime.keepApart();
    expect(await tables()).not.toMatch(/^table inet codehub$/m);
    expect(await tables()).toContain(`table inet codehub-${first}\n`);
  });
});
