import { chmod, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { EmbeddedPostgres } from "#adapters/postgres/embedded/embedded-postgres.ts";
import { Fleet } from "./fleet.ts";

const ROUNDS = 8;
const WORKSPACES = 3;

/** What the owner of each workspace knows: the last number that was acknowledged. It is kept outside of everything. */
type Oracle = Map<string, number>;

/** Works, goes away for a moment, comes back; never waits for longer than a person would. */
async function use(fleet: Fleet, id: string, oracle: Oracle, stop: AbortSignal): Promise<void> {
  for (let turn = 0; !stop.aborted; turn++) {
    await fleet.wish(id, "RUNNING").catch(() => {});
    for (let tries = 0; tries < 40 && !stop.aborted; tries++) {
      if (await write(fleet, id, oracle)) break;
      await delay(200);
    }
    await fleet.wish(id, turn % 2 === 0 ? "ARCHIVED" : "STANDBY").catch(() => {});
    await delay(300 * (turn % 8));
  }
}

/** The next number, durably and whole or not at all; it counts only when the workspace has said so. */
async function write(fleet: Fleet, id: string, oracle: Oracle): Promise<boolean> {
  const next = (oracle.get(id) ?? 0) + 1;
  const command = `echo ${next} > ~/number.new && sync ~/number.new && mv ~/number.new ~/number && cat ~/number`;
  const acknowledged = (await fleet.inside(id, command).catch(() => null)) === String(next);
  if (acknowledged) oracle.set(id, next);
  return acknowledged;
}

test("homes survive killed, frozen and disconnected coordinators and a crashing database", async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), "chaos-pg-"));
  await chmod(directory, 0o711);
  const server = await EmbeddedPostgres.start({ dir: path.join(directory, "pg"), fallbackDir: directory });
  const fleet = await Fleet.start(server.url);
  const oracle: Oracle = new Map();
  const stop = new AbortController();
  try {
    for (let at = 0; at < 2; at++) await fleet.addCoordinator();
    const ids = await Promise.all(Array.from({ length: WORKSPACES }, (_, at) => fleet.create(`home ${at}`)));
    const people = ids.map((id) => use(fleet, id, oracle, stop.signal));
    const nemeses = {
      kill: async () => {
        await fleet.kill((await fleet.leader()).pid);
        await fleet.addCoordinator();
      },
      freeze: async () => {
        const { pid } = await fleet.leader();
        fleet.signal(pid, "SIGSTOP");
        await delay(10_000);
        fleet.signal(pid, "SIGCONT");
      },
      disconnect: () =>
        fleet.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'c%' AND pid <> pg_backend_pid()",
        ),
      crashDatabase: async () => void process.kill(server.pid, "SIGKILL"),
    };
    for (let round = 0; round < ROUNDS; round++) {
      const [name, nemesis] = Object.entries(nemeses)[round % 4] ?? [];
      await delay(4_000);
      await nemesis?.().catch((error: unknown) => console.log(`${name}: ${String(error)}`));
    }
    stop.abort();
    await Promise.all(people);
    for (const id of ids) {
      await fleet.until(`RUNNING of ${id}`, async () => {
        const row = await fleet.row(id);
        if (row.phase === "ERROR") throw new Error(`${id} is in ERROR: ${row.errorInfo?.message}`);
        await fleet.wish(id, "RUNNING");
        return row.phase === "RUNNING" && row.operation === "NONE";
      });
      const acknowledged = oracle.get(id) ?? 0;
      const found = Number((await fleet.inside(id, "cat ~/number 2>/dev/null || echo 0")) ?? Number.NaN);
      // The write after the last acknowledged one may have happened without its answer.
      expect([acknowledged, acknowledged + 1], `${id}\n${await fleet.log()}`).toContain(found);
      expect(acknowledged).toBeGreaterThan(0);
    }
    console.log(`chaos: ${ROUNDS} rounds, acknowledged writes per home: ${[...oracle.values()].join(", ")}`);
  } finally {
    stop.abort();
    await fleet.stop();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
});
