import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freeze } from "../suites/freeze.ts";
import { openPostgres, type PostgresFixture } from "./postgres-fixture.ts";

const PROGRAM = fileURLToPath(new URL("./leader-main.ts", import.meta.url));

let database: PostgresFixture;
let leaders: ChildProcess[];
beforeEach(async () => {
  database = await openPostgres();
  leaders = [];
});
afterEach(async () => {
  for (const leader of leaders) {
    if (leader.exitCode !== null || leader.signalCode !== null) continue;
    const gone = once(leader, "exit");
    leader.kill("SIGKILL");
    await gone;
  }
  await database.close();
});

/** A leader in a process of its own. Resolves once it leads, with what it thinks of the one before. */
async function lead(): Promise<{ leader: ChildProcess; judged: unknown }> {
  const leader = spawn(process.execPath, [PROGRAM, database.url], { stdio: ["ignore", "pipe", "inherit"] });
  leaders.push(leader);
  const [line] = (await once(leader.stdout, "data")) as [Buffer];
  return { leader, judged: JSON.parse(line.toString()) };
}

const endSessions = (): Promise<unknown> =>
  database.admin.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'codehub leader%'",
  );

test("a killed leader is known to be gone", async () => {
  const { leader, judged } = await lead();
  expect(judged).toEqual({ verdict: "gone", why: "nobody_led" });
  const gone = once(leader, "exit");
  leader.kill("SIGKILL");
  await gone;
  expect((await lead()).judged).toEqual({ verdict: "gone", why: "process_gone" });
});

test("a frozen leader whose session was cut is not", async () => {
  const { leader } = await lead();
  freeze(leader.pid);
  await endSessions();
  expect((await lead()).judged).toEqual({ verdict: "unknown", why: "still_there" });
});
