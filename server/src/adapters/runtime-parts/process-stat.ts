import { readFile } from "node:fs/promises";

export interface ProcessStat {
  readonly parent: number;
  /** When it started, in ticks since the boot. */
  readonly startTicks: string;
  /** Its own time on a processor and that of children that it has waited for, in ticks. */
  readonly busyTicks: number;
  /** It has ended, and nobody has taken note of that yet. */
  readonly dead: boolean;
}

/** What /proc says of a process; null for one that it does not show. */
export async function readStat(pid: number): Promise<ProcessStat | null> {
  let text: string;
  try {
    text = await readFile(`/proc/${pid}/stat`, "latin1");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return null;
    throw error;
  }
  // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent] = fields;
  const startTicks = fields[19];
  if (state === undefined || parent === undefined || startTicks === undefined) {
    throw new Error(`/proc/${pid}/stat has an unknown form`);
  }
  const busyTicks = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  return { parent: Number(parent), startTicks, busyTicks, dead: state === "Z" || state === "X" };
}

let knownBootId: Promise<string> | undefined;
/** Of this run of the kernel: no other one, of whatever machine, has it. */
export function bootId(): Promise<string> {
  knownBootId ??= readFile("/proc/sys/kernel/random/boot_id", "utf8").then((text) => text.trim());
  return knownBootId;
}
