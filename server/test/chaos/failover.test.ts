import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EmbeddedPostgres } from "#adapters/postgres/embedded/embedded-postgres.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { mayActAsRoot } from "../root.ts";
import { Fleet } from "./fleet.ts";

describe("failover on a real database", () => {
  let database: TestDatabase;
  let fleet: Fleet;
  beforeEach(async () => {
    database = await createTestDatabase();
    fleet = await Fleet.start(database.url);
    await fleet.addCoordinator();
    await fleet.addCoordinator();
    await fleet.until("a first leader", async () => fleet.pids.includes((await fleet.leader()).pid));
  });
  afterEach(async () => {
    await fleet.stop();
    await database.drop();
  });

  test("a killed leader is replaced, and what it began is finished", async () => {
    const id = await fleet.create("killed");
    await fleet.until("an operation", async () => (await fleet.row(id)).operation !== "NONE");
    const before = await fleet.leader();
    await fleet.kill(before.pid);
    const ms = await fleet.nextLeader(before.epoch);
    console.log(`killed leader: replaced after ${Math.round(ms)} ms`);
    // Its process is provably gone, so nobody waits for its lease.
    const gone = { msg: "the former leader is gone: its lease is not waited for", why: "process_gone" };
    await fleet.until("the verdict", () => fleet.hasSaid({ ...gone, former: before.epoch }));
    await fleet.until("RUNNING", async () => (await fleet.row(id)).phase === "RUNNING");
  });

  test("a frozen leader is replaced, and does nothing when it comes back", async () => {
    const id = await fleet.create("frozen");
    await fleet.until("RUNNING", async () => (await fleet.row(id)).phase === "RUNNING");
    expect(await fleet.inside(id, "head -c 3000000 /dev/urandom > ~/data; sha256sum < ~/data")).not.toBeNull();
    const fingerprint = await fleet.inside(id, "sha256sum < ~/data");
    await fleet.wish(id, "ARCHIVED");
    await fleet.until("an operation", async () => (await fleet.row(id)).operation !== "NONE");
    const before = await fleet.leader();
    fleet.signal(before.pid, "SIGSTOP");
    const ms = await fleet.nextLeader(before.epoch);
    console.log(`frozen leader: replaced after ${Math.round(ms)} ms`);
    // It is still there and may come back with what is left of its lease.
    const waits = { msg: "waiting for the lease of the former leader to run out", why: "still_there" };
    await fleet.until("the verdict", () => fleet.hasSaid({ ...waits, former: before.epoch }));
    await fleet.until("ARCHIVED", async () => (await fleet.row(id)).phase === "ARCHIVED");
    const settled = await fleet.row(id);
    fleet.signal(before.pid, "SIGCONT");
    await fleet.until("the old leader to step down", async () => (await fleet.log()).includes("not leading any more"));
    const after = await fleet.row(id);
    expect([after.archiveKey, after.homeVolume, after.operation]).toEqual([settled.archiveKey, null, "NONE"]);
    await fleet.wish(id, "RUNNING");
    await fleet.until("RUNNING again", async () => (await fleet.inside(id, "sha256sum < ~/data")) === fingerprint);
  });

  test("a leader that was told to stop leaves nothing to wait for", async () => {
    const id = await fleet.create("stopped");
    await fleet.until("RUNNING", async () => (await fleet.row(id)).phase === "RUNNING");
    const before = await fleet.leader();
    fleet.signal(before.pid, "SIGTERM");
    const ended = { msg: "the former leader is gone: its lease is not waited for", why: "ended_in_order" };
    await fleet.until("the verdict", () => fleet.hasSaid({ ...ended, former: before.epoch }));
    await fleet.wish(id, "STANDBY");
    await fleet.until("STANDBY", async () => (await fleet.row(id)).phase === "STANDBY");
  });

  test("a leader whose session is ended by the database steps down and others go on", async () => {
    const before = await fleet.leader();
    await fleet.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'codehub leader%'",
    );
    const ms = await fleet.nextLeader(before.epoch);
    console.log(`ended session: led again after ${Math.round(ms)} ms`);
    const id = await fleet.create("ended");
    await fleet.until("RUNNING", async () => (await fleet.row(id)).phase === "RUNNING");
  });
});

describe.runIf(mayActAsRoot("a partition, in a network namespace"))(
  "a leader behind a network that drops everything",
  () => {
    const namespace = `chaos${process.pid}`;
    const subnet = `10.${200 + (process.pid % 50)}.${process.pid % 250}`;
    const ip = (...args: string[]): void => void execFileSync("ip", args, { stdio: "pipe" });
    let directory: string;
    let server: EmbeddedPostgres;
    let fleet: Fleet;

    beforeEach(async () => {
      directory = await mkdtemp(path.join(os.tmpdir(), "chaos-pg-"));
      await chmod(directory, 0o711);
      const hba = path.join(directory, "pg_hba.conf");
      await writeFile(hba, `local all all trust\nhost all all ${subnet}.0/24 trust\nhost all all 127.0.0.1/32 trust\n`);
      await chmod(hba, 0o644);
      const tcpPort = 30_000 + (process.pid % 20_000);
      server = await EmbeddedPostgres.start({
        dir: path.join(directory, "pg"),
        fallbackDir: directory,
        tcpPort,
        settings: { listen_addresses: "*", hba_file: hba },
      });
      ip("netns", "add", namespace);
      ip("link", "add", `${namespace}h`, "type", "veth", "peer", "name", `${namespace}n`, "netns", namespace);
      ip("addr", "add", `${subnet}.1/24`, "dev", `${namespace}h`);
      ip("link", "set", `${namespace}h`, "up");
      ip("-n", namespace, "addr", "add", `${subnet}.2/24`, "dev", `${namespace}n`);
      ip("-n", namespace, "link", "set", `${namespace}n`, "up");
      ip("-n", namespace, "link", "set", "lo", "up");
      fleet = await Fleet.start(server.url);
      const across = new URL(server.url);
      across.hostname = `${subnet}.1`;
      await fleet.addCoordinator(["ip", "netns", "exec", namespace], across.href);
      await fleet.until("the far leader", async () => fleet.pids.includes((await fleet.leader()).pid));
      await fleet.addCoordinator();
    });
    afterEach(async () => {
      await fleet.stop();
      ip("netns", "del", namespace);
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    });

    test("is replaced, and has stopped by itself", async () => {
      const id = await fleet.create("cut off");
      await fleet.until("RUNNING", async () => (await fleet.row(id)).phase === "RUNNING");
      const before = await fleet.leader();
      execFileSync("ip", ["netns", "exec", namespace, "iptables", "-A", "OUTPUT", "-j", "DROP"]);
      execFileSync("ip", ["netns", "exec", namespace, "iptables", "-A", "INPUT", "-j", "DROP"]);
      const ms = await fleet.nextLeader(before.epoch);
      console.log(`partitioned leader: replaced after ${Math.round(ms)} ms`);
      expect(await fleet.log()).toContain("stepping down");
      await fleet.wish(id, "STANDBY");
      await fleet.until("STANDBY", async () => (await fleet.row(id)).phase === "STANDBY");
    });
  },
);
