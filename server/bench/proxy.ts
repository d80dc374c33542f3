import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { echoedPerSecond, requestsPerSecond } from "./proxy/load.ts";
import { type Subject, startChp, startNginx, startNode } from "./proxy/peers.ts";
import type { BenchResult } from "./result.ts";

const ROUNDS = 7;
const SECONDS = 2;
const WARM_SECONDS = 2;
const ECHO_BYTES = 200_000_000;

/**
 * Authorised requests through our proxy against nginx and configurable-http-proxy, which authorise nothing, in the same
 * run and in front of the same backend. The peers take turns, so that a busy machine is busy for all of them.
 */
export async function run(): Promise<BenchResult> {
  const processes: ChildProcess[] = [];
  const directory = await mkdtemp(join(tmpdir(), "codehub-bench-proxy-"));
  try {
    const backend = Number(await startNode(processes, "backend.ts"));
    const way = JSON.parse(await startNode(processes, "ours.ts", String(backend)));
    const ours: Subject = {
      name: "ours",
      port: way.port,
      headers: { Host: way.host, Origin: way.origin, Cookie: `theme=dark; ${way.cookie}` },
    };
    const nginx = await startNginx(processes, directory, backend);
    const chp = await startChp(processes, backend);
    const direct: Subject = { name: "direct", port: backend, headers: {} };
    const http = await rounds(
      [direct, nginx, ours, chp],
      (subject) => requestsPerSecond(subject, SECONDS),
      WARM_SECONDS,
    );
    const ws = await rounds([nginx, ours], (subject) => echoedPerSecond(subject, ECHO_BYTES), 0);
    const rate = (table: ReadonlyMap<string, number>, name: string): number => table.get(name) ?? Number.NaN;
    return {
      metrics: {
        http_direct_rps: rate(http, "direct"),
        http_ours_rps: rate(http, "ours"),
        http_nginx_rps: rate(http, "nginx"),
        http_chp_rps: rate(http, "chp"),
        ws_ours_mb_per_s: rate(ws, "ours"),
        ws_nginx_mb_per_s: rate(ws, "nginx"),
      },
      ratios: {
        http_nginx: rate(http, "ours") / rate(http, "nginx"),
        http_chp: rate(http, "ours") / rate(http, "chp"),
        ws_nginx: rate(ws, "ours") / rate(ws, "nginx"),
      },
    };
  } finally {
    for (const child of processes) child.kill();
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
