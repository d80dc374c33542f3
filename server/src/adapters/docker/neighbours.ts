import { readFileSync } from "node:fs";

/** The kernel's own table of who is behind which address, in the network that this process is in. */
const TABLE = "/proc/net/arp";
const COMPLETE = 0x2;

/** The hardware addresses that were found behind an address; more than one when two networks claim it. */
export function behind(host: string, table: string): string[] {
  const rows = table.split("\n").map((line) => line.split(/\s+/));
  return rows.filter(([ip, , flags]) => ip === host && (Number(flags) & COMPLETE) !== 0).map((row) => row[3] ?? "");
}

/** Asked right after a packet came back from there, so that the kernel has had to look. */
export function neighboursAt(host: string): string[] {
  return behind(host, readFileSync(TABLE, "utf8"));
}
