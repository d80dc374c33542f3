import { createHash } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { bootId, readStat } from "#adapters/runtime-parts/process-stat.ts";
import type { ProcessIdentity, Sighting } from "#core/rules/succession.ts";
import type { ProcessWitness } from "#ports/witness.ts";

/** Testifies by /proc and by the kernel's answer to a signal. Where there is no /proc it knows nothing. */
export const processWitness: ProcessWitness = {
  self: () => identifySelf().catch(() => null),
  look,
};

async function identifySelf(): Promise<ProcessIdentity | null> {
  const stat = await readStat(process.pid);
  if (stat === null) return null;
  const namespace = (name: string): Promise<string> => readlink(`/proc/self/ns/${name}`);
  return {
    machineId: await machineId(),
    bootId: await bootId(),
    pidNamespace: await namespace("pid"),
    networkNamespace: await namespace("net"),
    timeNamespace: await namespace("time"),
    pid: process.pid,
    startTicks: stat.startTicks,
  };
}

/** The number itself is not for others to know; images of containers often have none. */
async function machineId(): Promise<string | null> {
  const id = (await readFile("/etc/machine-id", "latin1").catch(() => "")).trim();
  return id === "" ? null : createHash("sha256").update(`codehub ${id}`).digest("hex").slice(0, 32);
}

/**
 * The kernel is asked first: /proc may be mounted such that it hides the processes of others, and what it does not show may
 * be there. One that has ended and was not taken note of still counts as there: a thread of it may be in the disk's hands.
 */
async function look(pid: number): Promise<Sighting> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ESRCH") return { kind: "nobody" };
    if (code !== "EPERM") throw error;
  }
  const stat = await readStat(pid);
  return stat === null ? { kind: "hidden" } : { kind: "somebody", startTicks: stat.startTicks };
}
