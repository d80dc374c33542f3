import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dockerAvailable } from "../test/docker/private-engine.ts";
import { startContainer } from "./proxy/container.ts";
import { echoedPerSecond, requestsPerSecond } from "./proxy/load.ts";
import { type Subject, startChp, startNginx, startNode, startOurs, type TcpAddress } from "./proxy/peers.ts";
import type { BenchResult } from "./result.ts";

const ROUNDS = 7;
const SECONDS = 2;
const WARM_SECONDS = 2;
const ECHO_BYTES = 200_000_000;

/**
 * Authorised requests through our proxy against nginx and configurable-http-proxy, which authorise nothing, in the same
 * run and in front of the same backend. The peers take turns, so that a busy machine is busy for all of them. Where
 * Docker is installed, the same once more in front of that backend in a container, as workspaces run there.
 */
export async function run(): Promise<BenchResult> {
  const processes: ChildProcess[] = [];
  const directory = await mkdtemp(join(tmpdir(), "codehub-bench-proxy-"));
  const container = dockerAvailable() ? await startContainer(directory) : null;
  try {
    const port = Number(await startNode(processes, ["backend.ts"]));
    const backend: TcpAddress = { kind: "tcp", host: "127.0.0.1", port };
    const direct: Subject = { name: "direct", port, headers: {} };
    const chp = await startChp(processes, port);
    const pair = async (place: string, address: TcpAddress): Promise<Subject[]> => [
      await startNginx(processes, `nginx${place}`, join(directory, `nginx${place}`), address),
      await startOurs(processes, `ours${place}`, address),
    ];
    const pairs = [
      ...(await pair("", backend)),
      ...(container === null ? [] : await pair("_docker", container.address)),
    ];
    const http = await rounds([direct, chp, ...pairs], (subject) => requestsPerSecond(subject, SECONDS), WARM_SECONDS);
    const ws = await rounds(pairs, (subject) => echoedPerSecond(subject, ECHO_BYTES), 0);
    const named = (kind: string, rates: ReadonlyMap<string, number>, unit: string) =>
      [...rates].map(([name, rate]) => [`${kind}_${name}_${unit}`, rate]);
    const ratio = (rates: ReadonlyMap<string, number>, ours: string, peer: string): number =>
      (rates.get(ours) ?? Number.NaN) / (rates.get(peer) ?? Number.NaN);
    return {
      metrics: Object.fromEntries([...named("http", http, "rps"), ...named("ws", ws, "mb_per_s")]),
      ratios: {
        http_nginx: ratio(http, "ours", "nginx"),
        http_chp: ratio(http, "ours", "chp"),
        ws_nginx: ratio(ws, "ours", "nginx"),
        ...(container !== null && {
          http_nginx_docker: ratio(http, "ours_docker", "nginx_docker"),
          ws_nginx_docker: ratio(ws, "ours_docker", "nginx_docker"),
          // Of what is lost against nginx on processes, how much more is lost on Docker.
          http_docker_process: ratio(http, "ours_docker", "nginx_docker") / ratio(http, "ours", "nginx"),
        }),
      },
    };
  } finally {
    for (const child of processes) child.kill();
    await container?.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Every subject once a round, in turn. The best round counts: whatever else the machine does only ever slows one down. */
async function rounds(
  subjects: readonly Subject[],
  measure: (subject: Subject) => Promise<number>,
  warmSeconds: number,
): Promise<ReadonlyMap<string, number>> {
  const seen = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  for (const subject of subjects) if (warmSeconds > 0) await requestsPerSecond(subject, warmSeconds);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const subject of subjects) seen.get(subject.name)?.push(await measure(subject));
  }
  return new Map([...seen].map(([name, values]) => [name, Math.max(...values)]));
}
