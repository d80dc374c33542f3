import { readdir, readFile, readlink } from "node:fs/promises";
import { type ListeningSocket, parseListening } from "#adapters/system/listening-sockets.ts";
import type { Address } from "#core/workspace.ts";

/** TCP ports that the given processes listen on, and where to connect to each. */
export async function listeningPorts(pids: readonly number[]): Promise<Map<number, Address>> {
  const [sockets, inodes] = await Promise.all([listeningSockets(), socketInodes(pids)]);
  const ports = new Map<number, Address>();
  for (const { inode, host, port } of sockets) {
    // A port may be bound for both families; the first one found, IPv4, is the one everybody can reach.
    if (inodes.has(inode) && !ports.has(port)) ports.set(port, { kind: "tcp", host, port });
  }
  return ports;
}

async function socketInodes(pids: readonly number[]): Promise<Set<string>> {
  const inodes = new Set<string>();
  await Promise.all(
    pids.map(async (pid) => {
      const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
      for (const name of names) {
        const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => "");
        const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
        if (inode !== undefined) inodes.add(inode);
      }
    }),
  );
  return inodes;
}

async function listeningSockets(): Promise<ListeningSocket[]> {
  const [v4, v6] = await Promise.all([
    readFile("/proc/net/tcp", "latin1"),
    readFile("/proc/net/tcp6", "latin1").catch(() => ""),
  ]);
  return [...parseListening(v4), ...parseListening(v6)];
}
