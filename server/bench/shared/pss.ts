import { readdir, readFile } from "node:fs/promises";

/** A process with its share of memory: its own pages, and of those that it shares with others its part of each. */
export interface Share {
  readonly pid: number;
  readonly command: string;
  readonly pssMb: number;
}

/** Of a process and of all that descend from it, as they are now. One that ends meanwhile counts nothing. */
export async function sharesBelow(root: number): Promise<Share[]> {
  const shares: Share[] = [];
  const children = await childrenByParent();
  for (const pending = [root]; pending.length > 0; ) {
    const pid = pending.pop() ?? 0;
    shares.push(await shareOf(pid));
    pending.push(...(children.get(pid) ?? []));
  }
  return shares;
}

export async function shareOf(pid: number): Promise<Share> {
  const command = (await textOf(pid, "cmdline")).replaceAll("\0", " ").trim();
  const kilobytes = Number(/^Pss:\s+(\d+)/m.exec(await textOf(pid, "smaps_rollup"))?.[1] ?? 0);
  return { pid, command, pssMb: (kilobytes * 1024) / 1e6 };
}

async function childrenByParent(): Promise<ReadonlyMap<number, readonly number[]>> {
  const children = new Map<number, number[]>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = await parentOf(Number(name));
    if (parent > 0) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

/** 0 for one that is not there. */
export const parentOf = async (pid: number): Promise<number> =>
  Number(/\) \S (\d+)/.exec(await textOf(pid, "stat"))?.[1] ?? 0);

const textOf = (pid: number, file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
