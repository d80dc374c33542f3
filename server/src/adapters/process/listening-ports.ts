import { readdir, readFile, readlink } from "node:fs/promises";
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

export interface ListeningSocket {
  readonly inode: string;
  /** Where to connect: a socket bound to every address is reached on loopback. */
  readonly host: string;
  readonly port: number;
}

const LISTEN = "0A";

/** Reads the kernel's table: addresses are hexadecimal, four bytes at a time in the machine's (little-endian) order. */
export function parseListening(table: string): ListeningSocket[] {
  return table
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const fields = line.trim().split(/\s+/);
      const [address, port] = (fields[1] ?? "").split(":");
      const inode = fields[9];
      if (fields[3] !== LISTEN || address === undefined || port === undefined || inode === undefined) return [];
      return [{ inode, host: readableHost(address), port: Number.parseInt(port, 16) }];
    });
}

function readableHost(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).reverse());
  if (bytes.every((byte) => byte === "00")) return "127.0.0.1";
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => `${bytes[index * 2] ?? ""}${bytes[index * 2 + 1] ?? ""}`);
  const mapped = /^0{20}ffff$/i.test(groups.slice(0, 6).join(""));
  if (mapped)
    return bytes
      .slice(12)
      .map((byte) => Number.parseInt(byte, 16))
      .join(".");
  return groups
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
    .replace(/^0:0:0:0:0:0:0:1$/, "::1");
}
