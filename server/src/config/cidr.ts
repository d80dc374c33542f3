import { isIP } from "node:net";

/** A network as numbers, so that two can be compared. */
export interface Cidr {
  readonly family: 4 | 6;
  readonly start: bigint;
  readonly prefix: number;
}

const BITS = { 4: 32, 6: 128 } as const;

/** `address/prefix`, or an address alone, which is a network of one; null for anything else. */
export function parseCidr(text: string): Cidr | null {
  const [address = "", prefix, more] = text.split("/");
  const family = isIP(address);
  if ((family !== 4 && family !== 6) || more !== undefined || address.includes("%")) return null;
  if (prefix !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefix)) return null;
  const bits = prefix === undefined ? BITS[family] : Number(prefix);
  return bits > BITS[family] ? null : { family, start: numberIn(address, family), prefix: bits };
}

/** The network that its first bits name: the rest of the address is put to zero. */
export function networkOf({ family, start, prefix }: Cidr): Cidr {
  const rest = BigInt(BITS[family] - prefix);
  return { family, start: (start >> rest) << rest, prefix };
}

export const contains = (outer: Cidr, inner: Cidr): boolean =>
  outer.family === inner.family &&
  outer.prefix <= inner.prefix &&
  networkOf({ ...inner, prefix: outer.prefix }).start === outer.start;

export const isOneAddress = ({ family, prefix }: Cidr): boolean => prefix === BITS[family];

export function writeCidr({ family, start, prefix }: Cidr): string {
  return `${family === 4 ? writeV4(start) : writeV6(start)}/${prefix}`;
}

function numberIn(address: string, family: 4 | 6): bigint {
  if (family === 4) return numberOf(address.split(".").map(Number), 8n);
  // The address of a URL is written in groups, without the dots that its end may have.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string): number[] => (text === "" ? [] : text.split(":").map((group) => Number(`0x${group}`)));
  const [first, last] = [groups(head), tail === undefined ? [] : groups(tail)];
  const between = new Array<number>(8 - first.length - last.length).fill(0);
  return numberOf([...first, ...between, ...last], 16n);
}

const numberOf = (parts: readonly number[], width: bigint): bigint =>
  parts.reduce((sum, part) => (sum << width) | BigInt(part), 0n);

const partsOf = (value: bigint, count: number, width: bigint): number[] =>
  Array.from({ length: count }, (_, index) =>
    Number((value >> (BigInt(count - 1 - index) * width)) & ((1n << width) - 1n)),
  );

const writeV4 = (value: bigint): string => partsOf(value, 4, 8n).join(".");

function writeV6(value: bigint): string {
  const groups = partsOf(value, 8, 16n).map((group) => group.toString(16));
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
