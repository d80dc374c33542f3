import { readdir, readFile, readlink } from "node:fs/promises";
import { eachOnce, type ListeningSocket, parseListening } from "#adapters/runtime-parts/listening-sockets.ts";
import { programName } from "#adapters/runtime-parts/program-name.ts";
import type { ListeningPort, PortAddress } from "#ports/runtime.ts";
import { isAlive, type ProcessIdentity } from "./proc.ts";

/** A process and the name under which it holds a socket. */
interface Holder {
  readonly process: ProcessIdentity;
  readonly fd: string;
}

/** Far more than are in use at once; what was dropped is found again. */
const REMEMBERED = 10_000;

/**
 * Where to connect to a TCP port that a process of a container listens on. Who holds a socket is remembered, because
 * finding it means looking at every process of the machine, and this is asked for each new connection; but that it still
 * listens, and is still held by that very process, is looked at every time.
 */
export class ListeningPorts {
  readonly #holders = new Map<string, Holder>();

  /** With a uid, only sockets that this account made count: whatever else a process was handed is not served as its own. */
  async find(
    container: { readonly id: string; readonly uid: number | null },
    port: number,
    members: () => Promise<readonly ProcessIdentity[]>,
  ): Promise<PortAddress | null> {
    const { id, uid } = container;
    const [sockets, v6] = await Promise.all([listeningSockets(), hasV6Loopback()]);
    const candidates = sockets.filter((socket) => socket.port === port && (uid === null || socket.uid === uid));
    const held = await this.#heldBy(id, new Set(candidates.map(({ inode }) => inode)), members);
    // A port may be bound for both families; the first one found, IPv4, is the one everybody can reach.
    for (const socket of candidates) {
      const host = held.has(socket.inode) ? hostOf(socket, sockets, v6) : null;
      if (host !== null) return { kind: "tcp", host, port, listener: socket.inode };
    }
    return null;
  }

  /** Every port that is found in this way, with the name of a process that holds it. Nothing of it is remembered: people ask, not connections. */
  async all(uid: number | null, members: readonly ProcessIdentity[]): Promise<readonly ListeningPort[]> {
    const [sockets, v6] = await Promise.all([listeningSockets(), hasV6Loopback()]);
    const reached = sockets.filter((one) => (uid === null || one.uid === uid) && hostOf(one, sockets, v6) !== null);
    const holders = await holdersOf(members, new Set(reached.map(({ inode }) => inode)));
    const named = await Promise.all(
      reached.map(async ({ port, inode }) => {
        const holder = holders.get(inode);
        return holder === undefined ? [] : [{ port, program: await nameOf(holder.process.pid) }];
      }),
    );
    return eachOnce(named.flat());
  }

  /** Which of these sockets the container's processes hold. */
  async #heldBy(
    container: string,
    wanted: ReadonlySet<string>,
    members: () => Promise<readonly ProcessIdentity[]>,
  ): Promise<ReadonlySet<string>> {
    const held = new Set<string>();
    for (const inode of wanted) {
      const holder = this.#holders.get(`${container} ${inode}`);
      if (holder !== undefined && (await stillHolds(holder, inode))) held.add(inode);
    }
    if (held.size === wanted.size) return held;
    for (const [inode, holder] of await holdersOf(await members(), wanted)) {
      this.#remember(`${container} ${inode}`, holder);
      held.add(inode);
    }
    return held;
  }

  #remember(key: string, holder: Holder): void {
    const [oldest] = this.#holders.keys();
    if (oldest !== undefined && this.#holders.size >= REMEMBERED) this.#holders.delete(oldest);
    this.#holders.set(key, holder);
  }
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
 * Who of these holds which socket. It stops when none is left to find: a process may have thousands of open connections,
 * and what it listens on was opened before them.
 */
async function holdersOf(
  members: readonly ProcessIdentity[],
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Holder>> {
  const found = new Map<string, Holder>();
  await Promise.all(
    members.map(async (process) => {
      const names = await readdir(`/proc/${process.pid}/fd`).catch(() => []);
      for (const fd of names) {
        if (found.size === wanted.size) return;
        const inode = await socketAt(process.pid, fd);
        if (inode !== null && wanted.has(inode)) found.set(inode, { process, fd });
      }
    }),
  );
  return found;
}

/** The process is asked for last: what a pid stands for may have changed until then. */
const stillHolds = async ({ process, fd }: Holder, inode: string): Promise<boolean> =>
  (await socketAt(process.pid, fd)) === inode && (await isAlive(process));

async function socketAt(pid: number, fd: string): Promise<string | null> {
  const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "");
  return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? null;
}

/** Null for one that has ended meanwhile. */
const nameOf = (pid: number): Promise<string | null> =>
  readFile(`/proc/${pid}/cmdline`, "utf8").then(programName, () => null);

async function listeningSockets(): Promise<ListeningSocket[]> {
  const [v4, v6] = await Promise.all([
    readFile("/proc/net/tcp", "latin1"),
    readFile("/proc/net/tcp6", "latin1").catch(() => ""),
  ]);
  return [...parseListening(v4), ...parseListening(v6)];
}
