import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { kubeconfigAccess } from "#adapters/kubernetes/access.ts";
import { RELAY_PORT } from "#adapters/kubernetes/relay.ts";
import { parseAllowedNetworks } from "#config/allowed-networks.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import { startWorkspace } from "../docker/start-workspace.ts";
import { runInside } from "../runtime/ask.ts";
import { type KubernetesHarness, kubernetesHarness } from "./kubernetes-harness.ts";

const run = promisify(execFile);
const cluster = inject("cluster");

/** Tried from inside. Everything listens: where the policies do not hold, everything is reached. */
describe.skipIf(cluster === null || cluster.dir === null)("who reaches what", { concurrent: false }, () => {
  let harness: KubernetesHarness;
  let server: Server;
  /** On the same addresses, at a port that nobody lists. */
  let another: Server;
  let device = "";
  let targets: Record<string, readonly [string, number]>;
  /** Addresses of this machine for the time of the test, which look like somebody else's. */
  let aliases: Record<"store" | "git server" | "machine of the house" | "link-local service" | "internet", string>;

  beforeAll(async () => {
    if (cluster === null) return;
    const host = new URL((await kubeconfigAccess(cluster.kubeconfig)).server).hostname;
    aliases = {
      store: host.replace(/\.1$/, ".77"),
      "git server": host.replace(/\.1$/, ".79"),
      "machine of the house": host.replace(/\.1$/, ".78"),
      "link-local service": "169.254.77.7",
      internet: "198.51.100.77",
    };
    [server, another] = await Promise.all([listening(), listening()]);
    const { networks } = parseAllowedNetworks(`${aliases["git server"]}:${portOf(server)}`);
    harness = await kubernetesHarness(cluster, null, [`${aliases.store}/32`], networks);
    const [found] = Object.entries(networkInterfaces()).filter(([, all]) =>
      all?.some(({ address }) => address === host),
    );
    device = found?.[0] ?? "";
    for (const alias of Object.values(aliases)) await run("ip", ["address", "replace", `${alias}/32`, "dev", device]);
  });
  afterAll(async () => {
    server?.close();
    another?.close();
    for (const alias of Object.values(aliases ?? {}))
      await run("ip", ["address", "delete", `${alias}/32`, "dev", device]);
    await harness?.close();
  });

  const listening = async (): Promise<Server> => {
    const made = createServer((socket) => socket.on("error", () => {}).end()).listen(0, "0.0.0.0");
    await once(made, "listening");
    return made;
  };
  const portOf = (one: Server): number => (one.address() as AddressInfo).port;

  const targetsBeside = (neighbour: ContainerSeen): typeof targets => {
    const port = portOf(server);
    const api = new URL(harness.admin.name);
    const host = neighbour.address?.kind === "tcp" ? neighbour.address.host : "";
    return {
      "another workspace": [host, 8080],
      "another workspace's relay": [host, RELAY_PORT],
      "API server": [api.hostname, Number(api.port)],
      "API server's service": [api.hostname.replace(/\.0\.1$/, ".128.1"), 443],
      kubelet: [api.hostname.replace(/\.1$/, ".11"), 10_250],
      "git server's other port": [aliases["git server"], portOf(another)],
      ...Object.fromEntries(Object.entries(aliases).map(([name, alias]) => [name, [alias, port]] as const)),
    };
  };

  /** Prints which can be connected to and, as the last one, whether names are found. */
  const program = (): string => `
    const targets = ${JSON.stringify(targets)};
    const tried = Object.entries(targets).map(([name, [host, port]]) => new Promise((done) => {
      const socket = require("net").connect({ host, port });
      socket.setTimeout(2500, () => done(null));
      socket.on("connect", () => done(name)).on("error", () => done(null));
    }));
    const named = require("dns").promises.resolve4("kubernetes.default.svc.cluster.local").then(() => "DNS", () => null);
    Promise.all([...tried, named]).then((all) => {
      const text = JSON.stringify(all.filter((one) => one !== null));
      console.log(text);
      require("fs").writeFileSync(process.argv[1] ?? "/dev/null", text);
      process.exit(0);
    });`;
  const fromWorkspace = async (workspace: ContainerSeen): Promise<string[]> => {
    const encoded = Buffer.from(program()).toString("base64");
    return JSON.parse((await runInside(workspace, `node -e "$(echo ${encoded} | base64 -d)"`)).text);
  };
  const fromJob = async (): Promise<string[]> => {
    const job = { kind: "try", token: randomUUID().slice(0, 8), workspaceId: randomUUID(), attempt: randomUUID() };
    const container = { command: ["node", "-e", program(), "/dev/termination-log"] };
    return JSON.parse((await harness.jobs.run({ ...job, claim: null, container })).message);
  };
  /** Policies only ever add up: one that lets everything is as good as none. */
  const letEverything = async (): Promise<void> => {
    await harness.admin.create(`/apis/networking.k8s.io/v1/namespaces/${harness.namespace}/networkpolicies`, {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "let-everything" },
      spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"], ingress: [{}], egress: [{}] },
    });
  };

  it("a workspace reaches names, the internet and what is listed, a job names and the store; where policies let everything both reach all", async () => {
    const [one, other] = await Promise.all([startWorkspace(harness), startWorkspace(harness)]);
    targets = targetsBeside(other);
    const everything = [...Object.keys(targets), "DNS"];
    const [workspace, job] = await Promise.all([fromWorkspace(one), fromJob()]);
    expect({ workspace, job }).toEqual({ workspace: ["git server", "internet", "DNS"], job: ["store", "DNS"] });

    expect(await runInside(one, "ls /var/run/secrets /addresses")).not.toMatchObject({ code: 0 });

    await letEverything();
    await vi.waitFor(async () => expect(await fromWorkspace(one)).toEqual(everything), { timeout: 20_000 });
    expect(await fromJob()).toEqual(everything);
  });

  it("a workspace has no way to what a job is given, and neither has our own account", async () => {
    const path = `/api/v1/namespaces/${harness.namespace}/secrets`;
    const metadata = { name: `ws-${randomUUID()}-pack-1` };
    await harness.admin.create(path, {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      stringData: { piece: "an address" },
    });
    const refused = { meaning: "refused" };
    await expect(harness.client.read(`${path}/${metadata.name}`)).rejects.toMatchObject(refused);
    await expect(harness.client.list(path, {})).rejects.toMatchObject(refused);
  });
});
