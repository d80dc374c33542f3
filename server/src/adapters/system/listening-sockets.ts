export interface ListeningSocket {
  readonly inode: string;
  /** Where to connect: a socket bound to every address is reached on loopback. */
  readonly host: string;
  readonly everywhere: boolean;
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
      const everywhere = /^0+$/.test(address);
      return [{ inode, host: readableHost(address), everywhere, port: Number.parseInt(port, 16) }];
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
