import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "#supervise/free-port.ts";
import { dockerAvailable, type PrivateEngine, startEngine } from "../../test/docker/private-engine.ts";
import { buildImages, type DockerCommand, dockerOf } from "../../test/docker/server-containers.ts";
import { admin } from "../../test/e2e/program.ts";
import { type Addresses, makeCertificate, NAMES } from "../../test/replicas/front.ts";

const run = promisify(execFile);
const HERE = import.meta.dirname;
const ROOT = resolve(HERE, "../../..");
const COMPOSE = join(ROOT, "deploy/compose");
/** The images that the file names and we do not make. */
const PARTS = ["postgres:17", "redis:8", "caddy:2", "chrislusf/seaweedfs:4.19"];
const PATIENCE_MS = 240_000;

/** What deploy/compose starts, on an engine of our own: its file as it is, with names, ports and passwords by its own `init.sh`. */
export class Stage implements AsyncDisposable {
  readonly front: Addresses;
  readonly docker: DockerCommand;
  readonly metricsToken: string;
  readonly #engine: PrivateEngine;
  readonly #folder: string;

  static async open(tell: (line: string) => void): Promise<Stage> {
    if (!dockerAvailable()) throw new Error("Docker is missing: apt-get install docker.io nftables, as root");
    if (spawnSync("docker-compose", ["--version"]).status !== 0)
      throw new Error("docker-compose is missing: apt-get install docker-compose");
    const engine = await startEngine();
    const folder = await mkdtemp(join(tmpdir(), "chcompose-"));
    try {
      const begun = performance.now();
      await buildImages(engine.host, "codehub", ["server", "job", "workspace"]);
      await buildParts(engine.host, folder);
      tell(`images: ${((performance.now() - begun) / 1000).toFixed(0)} s`);
      const settings = await settle(engine.host, folder);
      return new Stage(engine, folder, settings);
    } catch (error) {
      await engine[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(engine: PrivateEngine, folder: string, settings: Readonly<Record<string, string>>) {
    this.#engine = engine;
    this.#folder = folder;
    this.docker = dockerOf(engine.host);
    this.metricsToken = settings["METRICS_TOKEN"] ?? "";
    this.front = { baseUrl: settings["BASE_URL"] ?? "", workspaceBaseUrl: settings["WORKSPACE_BASE_URL"] ?? "" };
  }

  async compose(...args: string[]): Promise<string> {
    const files = ["-f", "docker-compose.yml", "-f", join(HERE, "override.yml")];
    // What the shell has goes before what the settings say.
    const env = { PATH: process.env["PATH"], DOCKER_HOST: this.#engine.host };
    const { stdout } = await run("docker-compose", [...files, ...args], { cwd: join(this.#folder, "compose"), env });
    return stdout.trim();
  }

  /** Until everything that has a health check is healthy, and the front passes requests on to a CodeHub that is ready. */
  async untilReady(isReady: () => Promise<boolean>): Promise<void> {
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await delay(250)) {
      const states = await this.docker("ps", "--format", "{{.Names}} {{.Status}}");
      // A person would have to change something first (server/src/supervise/exit-codes.ts).
      if (/Restarting \((?:69|78)\)/.test(states)) break;
      if (!/\((?:unhealthy|health: starting)\)/.test(states) && (await isReady().catch(() => false))) return;
    }
    const said = await this.compose("logs", "--tail=40").catch(String);
    assert.fail(`not ready: ${await this.docker("ps", "-a", "--format", "{{.Names}} {{.Status}}")}\n${said}`);
  }

  /** In the container of a workspace, as its owner. */
  async inside(id: string, command: string): Promise<string> {
    const labels = ["--filter", `label=codehub.workspace=${id}`, "--filter", "label=codehub.role=workspace"];
    const container = await this.docker("ps", "-q", ...labels);
    return await this.docker("exec", container, "sh", "-c", command);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.compose("down", "-v", "-t", "5").catch(() => undefined);
    await this.#engine[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** One image with everything in it, under each of the names. */
async function buildParts(host: string, folder: string): Promise<void> {
  const context = join(folder, "parts");
  await cp(HERE, context, { recursive: true, filter: (file) => !/\.(?:ts|yml)$/.test(file) });
  await cp(join(ROOT, "scripts/test/s3-server.sh"), join(context, "s3-server.sh"));
  const env = { ...process.env, DOCKER_HOST: host, DOCKER_BUILDKIT: "0" };
  const [first = "", ...others] = PARTS;
  await run("docker", ["build", "-q", "--network=host", "-t", first, context], { env });
  for (const name of others) await dockerOf(host)("tag", first, name);
}

/** As an operator does it; what is beside it makes several of them possible on one machine. */
async function settle(host: string, folder: string): Promise<Record<string, string>> {
  const compose = join(folder, "compose");
  await cp(COMPOSE, compose, { recursive: true });
  const socket = host.slice("unix://".length);
  const words = [join(compose, "init.sh"), NAMES.dashboard, NAMES.workspaces];
  await run("sh", words, { env: { ...process.env, DOCKER_SOCKET: socket } });
  const https = await freePort();
  const { certificate, key } = makeCertificate(folder);
  await cp(certificate, join(compose, "certificates/tls.crt"), { recursive: true });
  await cp(key, join(compose, "certificates/tls.key"), { recursive: true });
  const own = {
    COMPOSE_PROJECT_NAME: `codehub${https}`,
    DATA_DIR: join(folder, "data"),
    BASE_URL: `https://${NAMES.dashboard}:${https}`,
    WORKSPACE_BASE_URL: `https://{id}.${NAMES.workspaces}:${https}`,
    HTTPS_PORT: String(https),
    ADMIN_USERNAME: admin.username,
    ADMIN_PASSWORD: admin.password,
    METRICS_TOKEN: "of-this-proof-and-of-nobody-else",
  };
  const ports = ["HTTP_PORT", "PORT", "POSTGRES_PORT", "REDIS_PORT", "STORE_PORT"];
  const free = Object.fromEntries(await Promise.all(ports.map(async (name) => [name, String(await freePort())])));
  const all: Record<string, string> = { ...own, ...free };
  // The last of two lines with one name counts.
  const lines = Object.entries(all).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(compose, ".env"), lines.join(""), { flag: "a" });
  return all;
}
