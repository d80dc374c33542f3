import { readdir, readFile, readlink } from "node:fs/promises";
import { type ListeningSocket, parseListening } from "#adapters/runtime-parts/listening-sockets.ts";
import type { PortAddress } from "#ports/runtime.ts";

/**
 * TCP ports that the given processes listen on, and where to connect to each. With a uid, only sockets that this account
 * made count: whatever else a process was handed is not served as its own.
 */
export async function listeningPorts(pids: readonly number[], uid: number | null): Promise<Map<number, PortAddress>> {
  const [sockets, inodes, v6] = await Promise.all([listeningSockets(), socketInodes(pids), hasV6Loopback()]);
  const ports = new Map<number, PortAddress>();
  for (const socket of sockets) {
    const { inode, port } = socket;
    if (!inodes.has(inode) || (uid !== null && socket.uid !== uid)) continue;
    const host = hostOf(socket, sockets, v6);
    // A port may be bound for both families; the first one found, IPv4, is the one everybody can reach.
    if (host !== null && !ports.has(port)) ports.set(port, { kind: "tcp", host, port, listener: inode });
  }
  return ports;
}

/**
 * On a machine without ::1 a socket on every address is reached by IPv4 only; but when somebody else listens there on
 * the same port, a connection is his.
 */
export function hostOf(socket: ListeningSocket, all: readonly ListeningSocket[], hasV6: boolean): string | null {
  if (hasV6 || !socket.everywhere || socket.host !== "::1") return socket.host;
  const inTheWay = all.some((other) => other.port === socket.port && other.host === V4_LOOPBACK);
  return inTheWay ? null : V4_LOOPBACK;
}

const V4_LOOPBACK = "127.0.0.1";

async function hasV6Loopback(): Promise<boolean> {
  const addresses = await readFile("/proc/net/if_inet6", "latin1").catch(() => "");
  return /^0{31}1 /m.test(addresses);
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
