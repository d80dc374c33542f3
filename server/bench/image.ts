import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "#supervise/free-port.ts";
import { startEngine } from "../test/docker/private-engine.ts";
import { buildImages, dockerOf, startContainers } from "../test/docker/server-containers.ts";
import { admin, build, SUPERVISOR } from "../test/e2e/program.ts";
import { openDatabasePassage } from "../test/kubernetes/passage.ts";
import { cloneTemplate, startTestServer } from "../test/postgres/test-server.ts";
import type { BenchResult } from "./result.ts";
import { median } from "./shared/median.ts";
import { shareOf, sharesBelow } from "./shared/pss.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const ROUNDS = Number(process.env["IMAGE_BENCH_ROUNDS"] ?? 5);
/** Until what a start left behind is collected. */
const REST_MS = 15_000;
const NAME = "codehub-bench/server:latest";
const MEGABYTE = 1e6;

const command = promisify(execFile);

interface Started {
  readonly seconds: number;
  /** The sum of the shares (PSS) of all its processes, after a rest. */
  readonly restMb: number | null;
}

/**
 * The server's image against the same build from a clone, each a proxy and a server on Docker with the same database: how much disk each takes, how
 * long it is from the command to /readyz, and what it holds in memory when nobody does anything.
 */
export async function run(): Promise<BenchResult> {
  build();
  await using engine = await startEngine();
  const docker = dockerOf(engine.host);
  await buildImages(engine.host, "codehub-bench", ["server"]);
  const postgres = await startTestServer();
  const folder = await mkdtemp(join(tmpdir(), "codehub-bench-image-"));
  await chmod(folder, 0o711);
  try {
    const environment = {
      DEFAULT_IMAGE: "codehub-test/fake:latest",
      JOB_IMAGE: "codehub-test/job:latest",
      ADMIN_USERNAME: admin.username,
      ADMIN_PASSWORD: admin.password,
      NODE_ENV: "production",
      LOG_LEVEL: "warn",
    };
    // Each is a deployment of its own, which is started again and again.
    await using cloneDatabase = await openDatabasePassage("127.0.0.1", (await cloneTemplate(postgres.url)).url);
    await using imageDatabase = await openDatabasePassage("127.0.0.1", (await cloneTemplate(postgres.url)).url);
    const clone = {
      ...environment,
      RUNTIME: "docker",
      DOCKER_HOST: engine.host,
      DATABASE_URL: cloneDatabase.url,
      DATA_DIR: join(folder, "clone"),
      NODE_COMPILE_CACHE: join(folder, "compiled"),
    };
    const image = { ...environment, DATABASE_URL: imageDatabase.url };
    const imageData = join(folder, "image");
    const starts: { clone: Started[]; image: Started[] } = { clone: [], image: [] };
    // The first of each compiles, or reads what it has never read.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const rest = round === ROUNDS;
      starts.clone.push(await startClone(clone, rest));
      starts.image.push(await startImage(engine.host, image, imageData, rest));
    }
    const size = async (image: string): Promise<number> =>
      Number(await docker("image", "inspect", "-f", "{{.Size}}", image)) / MEGABYTE;
    const [imageMb, baseMb] = [await size(NAME), await size("codehub-test/debian:latest")];
    const secondsOf = (all: readonly Started[]): number => median(all.slice(1).map(({ seconds }) => seconds));
    const restOf = (all: readonly Started[]): number => all.at(-1)?.restMb ?? Number.NaN;
    return {
      metrics: {
        image_mb: imageMb,
        image_own_mb: imageMb - baseMb,
        clone_mb: await cloneMb(),
        start_s_image: secondsOf(starts.image),
        start_s_clone: secondsOf(starts.clone),
        at_rest_mb_image: restOf(starts.image),
        at_rest_mb_clone: restOf(starts.clone),
      },
      ratios: {
        start_clone: secondsOf(starts.clone) / secondsOf(starts.image),
        at_rest_clone: restOf(starts.clone) / restOf(starts.image),
      },
    };
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function startClone(environment: Readonly<Record<string, string>>, rest: boolean): Promise<Started> {
  const port = await freePort();
  const begun = performance.now();
  const env = { PATH: process.env["PATH"], PORT: String(port), ...environment };
  const child = spawn(process.execPath, [SUPERVISOR], { env, stdio: "ignore" });
  const gone = once(child, "exit");
  try {
    const seconds = await untilReady(port, begun);
    const shares = rest ? await delay(REST_MS).then(() => sharesBelow(child.pid ?? 0)) : null;
    return { seconds, restMb: shares?.reduce((sum, { pssMb }) => sum + pssMb, 0) ?? null };
  } finally {
    child.kill("SIGTERM");
    await gone;
  }
}

async function startImage(
  host: string,
  environment: Readonly<Record<string, string>>,
  data: string,
  rest: boolean,
): Promise<Started> {
  const begun = performance.now();
  await using containers = await startContainers(host, NAME, environment, data);
  const seconds = await untilReady(Number(new URL(containers.url).port), begun);
  if (!rest) return { seconds, restMb: null };
  await delay(REST_MS);
  const pids = await dockerOf(host)("inspect", "-f", "{{.State.Pid}}", containers.proxy, containers.server);
  const shares = await Promise.all(pids.split("\n").map((pid) => shareOf(Number(pid))));
  return { seconds, restMb: shares.reduce((sum, { pssMb }) => sum + pssMb, 0) };
}

async function untilReady(port: number, begun: number): Promise<number> {
  for (const deadline = begun + 60_000; performance.now() < deadline; await delay(10)) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return (performance.now() - begun) / 1000;
  }
  throw new Error("CodeHub was not ready within a minute");
}

/** What a clone needs to run: its dependencies and both builds. */
async function cloneMb(): Promise<number> {
  const { stdout } = await command("du", ["-sbc", "node_modules", "server/dist", "dashboard/dist"], { cwd: ROOT });
  return Number(/^(\d+)\s+total$/m.exec(stdout)?.[1]) / MEGABYTE;
}
