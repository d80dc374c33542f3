import { readdir, readFile, readlink } from "node:fs/promises";
import { type ListeningSocket, parseListening } from "#adapters/runtime-parts/listening-sockets.ts";
import type { PortAddress } from "#ports/runtime.ts";

/**
 * Where to connect to a TCP port that one of the given processes listens on. With a uid, only sockets that this account
 * made count: whatever else a process was handed is not served as its own.
 */
export async function listeningPort(
  pids: readonly number[],
  uid: number | null,
  port: number,
): Promise<PortAddress | null> {
  const [sockets, v6] = await Promise.all([listeningSockets(), hasV6Loopback()]);
  const candidates = sockets.filter((socket) => socket.port === port && (uid === null || socket.uid === uid));
  const held = await heldBy(pids, new Set(candidates.map(({ inode }) => inode)));
  // A port may be bound for both families; the first one found, IPv4, is the one everybody can reach.
  for (const socket of candidates) {
    const host = held.has(socket.inode) ? hostOf(socket, sockets, v6) : null;
    if (host !== null) return { kind: "tcp", host, port, listener: socket.inode };
  }
  return null;
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

/**
 * Which of these sockets the processes hold. It stops when none is left to find: a process may have thousands of open
 * connections, this is asked for each new one, and what it listens on was opened before them.
 */
async function heldBy(pids: readonly number[], wanted: ReadonlySet<string>): Promise<Set<string>> {
  const held = new Set<string>();
  await Promise.all(
    pids.map(async (pid) => {
      const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
      for (const name of names) {
        if (held.size === wanted.size) return;
        const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => "");
        const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
        if (inode !== undefined && wanted.has(inode)) held.add(inode);
      }
    }),
  );
  return held;
}

async function listeningSockets(): Promise<ListeningSocket[]> {
  const [v4, v6] = await Promise.all([
    readFile("/proc/net/tcp", "latin1"),
    readFile("/proc/net/tcp6", "latin1").catch(() => ""),
  ]);
  return [...parseListening(v4), ...parseListening(v6)];
}
