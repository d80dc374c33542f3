import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { removeContainer } from "#adapters/docker/containers.ts";
import { Engine } from "#adapters/docker/engine.ts";
import { ensureNetwork } from "#adapters/docker/network.ts";
import { IDE_PORT, workspaceContainer } from "#adapters/docker/workspace-container.ts";
import { answersHealthz } from "#adapters/runtime-parts/http-probe.ts";
import { IDE_IMAGE, JOB_IMAGE } from "../test/docker/docker-harness.ts";
import { startEngine } from "../test/docker/private-engine.ts";
import { apiAs } from "../test/e2e/accounts.ts";
import { startProgram } from "../test/e2e/program.ts";
import { cloneTemplate, startTestServer } from "../test/postgres/test-server.ts";
import type { BenchResult } from "./result.ts";

const ROUNDS = 10;
const PORT = 33_333;
const LIMITS = { cpus: 2, memoryBytes: 4 * 2 ** 30, pids: 2048 };

/**
 * From a request committed in the database to RUNNING committed, with the real IDE on Docker, against what the engine alone
 * needs to create and start the same container until it answers. Taken in turns, so that both have the same weather.
 */
export async function run(): Promise<BenchResult> {
  await using engine = await startEngine("ide");
  const server = await startTestServer();
  try {
    await using database = await cloneTemplate(server.url);
    const program = await startProgram({
      RUNTIME: "docker",
      DOCKER_HOST: engine.host,
      DEFAULT_IMAGE: IDE_IMAGE,
      JOB_IMAGE,
      DATABASE_URL: database.url,
    });
    try {
      const api = await apiAs(program.url);
      const { id } = await api.createWorkspace({ body: { name: "bench", desired_state: "STANDBY" } });
      await using row = await openRow(database.url, id);
      await row.reaches("STANDBY");
      // The first starts prepare the firewall and the networks of the workspace's usual ports, which stay.
      for (let round = 0; round < ROUNDS; round++) await ours(row);
      const raw = await openRaw(engine.host, await row.volume());
      const samples = { ours: [] as number[], raw: [] as number[] };
      for (let round = 0; round < ROUNDS; round++) {
        samples.raw.push(await raw.start());
        await raw.rest();
        samples.ours.push(await ours(row));
        await raw.rest();
      }
      const [oursMs, rawMs] = [median(samples.ours), median(samples.raw)];
      return {
        metrics: { ours_ms_p50: oursMs, raw_engine_ms_p50: rawMs, overhead_ms_p50: oursMs - rawMs },
        ratios: { raw_engine: rawMs / oursMs },
      };
    } finally {
      await program.stop();
    }
  } finally {
    await server.stop();
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** One start through the whole program, and back to standby. */
async function ours(row: Row): Promise<number> {
  await row.wish("RUNNING");
  const begun = performance.now();
  const ended = await row.reaches("RUNNING");
  await row.wish("STANDBY");
  await row.reaches("STANDBY");
  return ended - begun;
}

interface Row extends AsyncDisposable {
  readonly wish: (desired: string) => Promise<void>;
  /** Resolves with the moment at which the commit that reached the phase became known. */
  readonly reaches: (phase: string) => Promise<number>;
  readonly volume: () => Promise<string>;
}

/** The workspace's row on a connection of the bench's own: commits are heard the moment PostgreSQL tells of them. */
async function openRow(url: string, id: string): Promise<Row> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("LISTEN ws_sse");
  const read = async () => {
    const { rows } = await client.query(
      "SELECT phase, operation, error_info, home_volume FROM workspaces WHERE id = $1",
      [id],
    );
    return rows[0] as { phase: string; operation: string; error_info: unknown; home_volume: string };
  };
  return {
    wish: async (desired) => {
      const sql = "UPDATE workspaces SET desired_state = $2, desired_version = desired_version + 1 WHERE id = $1";
      await client.query(sql, [id, desired]);
    },
    reaches: async (phase) => {
      for (const deadline = performance.now() + 120_000; performance.now() < deadline; ) {
        const heard = once(client, "notification", { signal: AbortSignal.timeout(120_000) }).then(() =>
          performance.now(),
        );
        const seen = await read();
        if (seen.phase === phase && seen.operation === "NONE") {
          heard.catch(() => {});
          return performance.now();
        }
        if (seen.phase === "ERROR") throw new Error(`the workspace failed: ${JSON.stringify(seen.error_info)}`);
        const at = await heard;
        const now = await read();
        if (now.phase === phase && now.operation === "NONE") return at;
      }
      throw new Error(`the workspace did not reach ${phase}`);
    },
    volume: async () => (await read()).home_volume,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

interface Raw {
  /** The same container, made by hand: created, started, and asked until it answers. */
  readonly start: () => Promise<number>;
  /** The engine takes a container's network down after it said that the container is gone, and answers about networks then. */
  readonly rest: () => Promise<void>;
}

async function openRaw(host: string, volume: string): Promise<Raw> {
  const engine = new Engine({ host });
  const deploymentId = randomUUID();
  const network = await ensureNetwork(engine, deploymentId, PORT, PORT - 20_000);
  const { Mountpoint: mountpoint } = await engine.need<{ Mountpoint: string }>("GET", `/volumes/${volume}`);
  const start = async (): Promise<number> => {
    const spec = { workspaceId: randomUUID(), attempt: randomUUID(), volume, imageRef: IDE_IMAGE, hostPort: PORT };
    const body = workspaceContainer(
      { ...spec, ownerId: "" },
      { deploymentId, network, mountpoint, publishedPort: null },
      LIMITS,
      null,
    );
    const begun = performance.now();
    const { Id } = await engine.need<{ Id: string }>("POST", "/containers/create", { body });
    await engine.need("POST", `/containers/${Id}/start`);
    while (!(await answersHealthz({ kind: "tcp", host: network.host, port: IDE_PORT }))) await delay(2);
    const took = performance.now() - begun;
    await removeContainer(engine, Id);
    return took;
  };
  return { start, rest: () => engine.need("GET", `/networks/${network.name}`) };
}
