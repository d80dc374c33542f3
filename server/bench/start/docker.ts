import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { removeContainer } from "#adapters/docker/containers.ts";
import { Engine } from "#adapters/docker/engine.ts";
import { ensureNetwork } from "#adapters/docker/network.ts";
import { IDE_PORT, workspaceContainer } from "#adapters/docker/workspace-container.ts";
import { answersHealthz } from "#adapters/runtime-parts/http-probe.ts";
import { IDE_IMAGE, JOB_IMAGE } from "../../test/docker/docker-harness.ts";
import { startEngine } from "../../test/docker/private-engine.ts";
import { apiAs } from "../../test/e2e/accounts.ts";
import { startProgram } from "../../test/e2e/program.ts";
import { cloneTemplate, startTestServer } from "../../test/postgres/test-server.ts";
import type { BenchResult } from "../result.ts";
import { median } from "../shared/median.ts";
import { openRow, ours } from "./row.ts";

const ROUNDS = 10;
const PORT = 33_333;
const LIMITS = { cpus: 2, memoryBytes: 4 * 2 ** 30, pids: 2048 };

/**
 * From a request committed in the database to RUNNING committed, with the real IDE on Docker, against what the engine alone
 * needs to create and start the same container until it answers. Taken in turns, so that both have the same weather.
 */
export async function onDocker(): Promise<BenchResult> {
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
        const { begun, ended } = await ours(row);
        samples.ours.push(ended - begun);
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
