import type { ListeningPort } from "#ports/runtime.ts";

export interface ListeningSocket {
  readonly inode: string;
  /** The account that made it. */
  readonly uid: number;
  /**
   * Where to connect: a socket bound to every address is reached on the loopback of its own family. One that is bound to
   * `::` may leave the other family's addresses to somebody else.
   */
  readonly host: string;
  readonly everywhere: boolean;
  readonly port: number;
}

/** A line of a socket that listens: number, local and remote address, state. Most lines are of open connections. */
const LISTENS = /^\s*\d+: \S+ \S+ 0A /;

/** Reads the kernel's table: addresses are hexadecimal, four bytes at a time in the machine's (little-endian) order. */
export function parseListening(table: string): ListeningSocket[] {
  return table
    .split("\n")
    .filter((line) => LISTENS.test(line))
    .flatMap((line) => {
      const fields = line.trim().split(/\s+/);
      const [address, port] = (fields[1] ?? "").split(":");
      const [uid, , inode] = fields.slice(7);
      if (address === undefined || port === undefined || inode === undefined) return [];
      return [{ inode, uid: Number(uid), ...readableHost(address), port: Number.parseInt(port, 16) }];
    });
}

function readableHost(hex: string): { host: string; everywhere: boolean } {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).reverse());
  const mapped = /^0{20}ffff/i.test(bytes.join(""));
  if (bytes.length === 4 || mapped) {
    const host = bytes
      .slice(-4)
      .map((byte) => Number.parseInt(byte, 16))
      .join(".");
    return host === "0.0.0.0" ? { host: "127.0.0.1", everywhere: true } : { host, everywhere: false };
  }
  if (bytes.every((byte) => byte === "00")) return { host: "::1", everywhere: true };
  const groups = Array.from({ length: 8 }, (_, index) => `${bytes[index * 2] ?? ""}${bytes[index * 2 + 1] ?? ""}`);
  const host = groups
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
    .replace(/^0:0:0:0:0:0:0:1$/, "::1");
  return { host, everywhere: false };
}

/** In order, each port once; one for which a name is known before one for which none is. */
export function eachOnce(ports: readonly ListeningPort[]): readonly ListeningPort[] {
  const found = new Map<number, ListeningPort>();
  for (const one of ports) if ((found.get(one.port)?.program ?? null) === null) found.set(one.port, one);
  return [...found.values()].sort((a, b) => a.port - b.port);
}
