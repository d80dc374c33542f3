import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { judgeFormerLeader, type ProcessIdentity } from "#core/rules/succession.ts";
import { processWitness } from "./process-witness.ts";

async function self(): Promise<ProcessIdentity> {
  const identity = await processWitness.self();
  if (identity === null) throw new Error("this system does not tell who we are");
  return identity;
}

describe("the witness", () => {
  test("knows this process, and sees it as it knows it", async () => {
    const me = await self();
    expect(me).toMatchObject({ pid: process.pid, bootId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(me.pidNamespace).toMatch(/^pid:\[\d+\]$/);
    expect(await processWitness.look(me.pid)).toEqual({ kind: "somebody", startTicks: me.startTicks });
  });

  test("sees a process for as long as it is there, also a frozen one, and nobody afterwards", async () => {
    const child = spawn("sleep", ["600"], { stdio: "ignore" });
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    const seen = await processWitness.look(pid);
    expect(seen).toMatchObject({ kind: "somebody" });
    child.kill("SIGSTOP");
    expect(await processWitness.look(pid)).toEqual(seen);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    expect(await processWitness.look(pid)).toEqual({ kind: "nobody" });
  });

  test("takes a killed process that nobody has taken note of for one that is there", async () => {
    // The shell becomes a program that never asks what became of its child.
    const parent = spawn("sh", ["-c", "sleep 600 & echo $!; exec sleep 600"], { stdio: ["ignore", "pipe", "ignore"] });
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    const seen = await processWitness.look(pid);
    process.kill(pid, "SIGKILL");
    expect(await processWitness.look(pid)).toEqual(seen);
    parent.kill("SIGKILL");
    await once(parent, "exit");
  });

  test("of another namespace says nothing about this one", async () => {
    const program = `
      import { processWitness } from ${JSON.stringify(import.meta.resolve("./process-witness.ts"))};
      console.log(JSON.stringify([await processWitness.self(), await processWitness.look(Number(process.argv[1]))]));`;
    const node = [process.execPath, "--input-type=module", "-e", program, String(process.pid)];
    // Only where this account may make one: the rule itself is tested with every kind of place.
    const there = spawnSync("unshare", ["--user", "--pid", "--fork", "--mount-proc", ...node], { encoding: "utf8" });
    const inside =
      there.status === 0
        ? JSON.parse(there.stdout)
        : [{ ...(await self()), pidNamespace: "pid:[0]" }, { kind: "nobody" }];
    const former = { epoch: 1, holder: await self(), begun: true, ended: false };
    expect(judgeFormerLeader(former, inside[0], inside[1])).toEqual({ verdict: "unknown", why: "another_place" });
  });
});
