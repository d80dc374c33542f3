import { execFile, spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readConfig } from "#config/config.ts";
import { VARIABLES } from "#config/variables.ts";

const run = promisify(execFile);
const COMPOSE = resolve(import.meta.dirname, "../../../deploy/compose");
/** What the image's own account needs beside nothing. */
const PARTS = ["server", "proxy"] as const;

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly network_mode?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly ports?: readonly string[];
  readonly user?: string;
  readonly volumes?: readonly string[];
}

/** That it also runs is for `npm run proof -- compose`, which takes minutes. */
describe.skipIf(!composeAvailable())("deploy/compose, as docker-compose understands it", () => {
  let folder: string;
  let engine: Server;
  let services: Readonly<Record<string, Service>>;
  const init = (): Promise<{ stdout: string }> => {
    const words = [join(folder, "init.sh"), "codehub.example.com", "codehub-workspaces.example"];
    return run("sh", words, { env: { ...process.env, DOCKER_SOCKET: join(folder, "engine.sock") } });
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "codehub-compose-"));
    await cp(COMPOSE, folder, { recursive: true, filter: (file) => !/\.env$|certificates$/.test(file) });
    engine = createServer().listen(join(folder, "engine.sock"));
    await init();
    // What the shell has goes before what the file says.
    const { stdout } = await run("docker-compose", ["config"], { cwd: folder, env: { PATH: process.env["PATH"] } });
    ({ services } = parse(stdout) as { services: typeof services });
  });
  afterAll(async () => {
    engine?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(PARTS)("gives the %s settings that it accepts, and none that it does not know", (part) => {
    const environment = services[part]?.environment ?? {};
    const unknown = Object.keys(environment).filter((name) => !(name in VARIABLES) && !name.startsWith("NODE_"));
    expect(unknown).toEqual([]);
    const config = readConfig({ ...environment, NODE_ENV: "production" }, { isRoot: false, homeDir: "/" });
    expect(config).toMatchObject({ RUNTIME: "docker", BASE_URL: "https://codehub.example.com", HOST: "127.0.0.1" });
    expect(config.METRICS_TOKEN).toHaveLength(48);
  });

  it("keeps proxy and server apart and gives neither more than it needs", () => {
    expect(PARTS.map((part) => services[part]?.environment?.["ROLES"])).toEqual(["api,coordinator", "proxy"]);
    for (const part of PARTS)
      expect(services[part]).toMatchObject({ network_mode: "host", read_only: true, cap_drop: ["ALL"] });
    const asRoot = Object.keys(services).filter((name) => services[name]?.user === "0:0");
    expect(asRoot).toEqual(["data"]);
  });

  it("lets the engine find DATA_DIR at the path that CodeHub names", () => {
    for (const part of PARTS) {
      const data = services[part]?.environment?.["DATA_DIR"];
      expect(services[part]?.volumes).toContain(`${data}:${data}:rw`);
    }
  });

  it("publishes on the host's loopback only, but for the front", () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published).toHaveLength(3);
    expect(published.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
  });

  it("has passwords of its own, for nobody else to read, and keeps those that are there", async () => {
    const before = await readFile(join(folder, ".env"), "utf8");
    const secrets = before.split("\n").filter((line) => /PASSWORD|SECRET|TOKEN/.test(line));
    expect(new Set(secrets.map((line) => line.split("=")[1])).size).toBe(4);
    await expect(init()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("There is a .env already") });
    expect(await readFile(join(folder, ".env"), "utf8")).toBe(before);
  });
});

function composeAvailable(): boolean {
  const isThere = spawnSync("docker-compose", ["--version"]).status === 0;
  const how = "apt-get install docker-compose";
  if (!isThere && process.env["CI"] !== undefined) throw new Error(`CI needs docker-compose: ${how}`);
  if (!isThere) console.log(`deploy/compose is not looked at: docker-compose is not there. Enable it with ${how}.`);
  return isThere;
}
