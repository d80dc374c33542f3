import type { IncomingMessage } from "node:http";

/** How long a head is, in the way the parser counts: without separators. */
export interface HeadSize {
  readonly total: number;
  readonly cookies: number;
}

/** More is refused. The parser itself takes a little more, so that the host of most that are refused is known. */
export const MAX_HEAD_BYTES: number = 32 * 1024;
/** Less than one read of a socket, so that the beginning of a first request is at hand when the parser gives up. */
export const PARSER_LIMIT_BYTES: number = 48 * 1024;

export interface HeadMeasures extends HeadSize {
  /** How often Host came. Node keeps the first and says nothing of others. */
  readonly hosts: number;
}

export function measureHead({ url = "", rawHeaders }: IncomingMessage): HeadMeasures {
  let total = url.length;
  let cookies = 0;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    const bytes = name.length + (rawHeaders[i + 1]?.length ?? 0);
    total += bytes;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
    else if (name.length === 6 && name.toLowerCase() === "cookie") cookies += bytes;
  }
  return { total, cookies, hosts };
}

/**
 * Whether cookies made a head too long. Half of what is allowed has to be left to everything else: a page elsewhere can
 * make a person's browser ask for a long address, and must not be able to sign that person out with it.
 */
export const cookiesAreTheCause = ({ total, cookies }: HeadSize): boolean => total - cookies <= MAX_HEAD_BYTES / 2;

/** What can be told of a head that the parser gave up on. */
export interface BegunHead {
  /** Null when it did not come, came twice, or is the last line, which may be cut. */
  readonly host: string | null;
  readonly size: HeadSize;
}

/** Reads the first packet of a connection; null when that is not the beginning of a request. */
export function readBegunHead(packet: Buffer): BegunHead | null {
  const [line = "", ...headers] = packet.toString("latin1").split("\r\n");
  if (!/^[A-Z]+ [^ ]+ HTTP\/1\.1$/.test(line)) return null;
  const hosts: string[] = [];
  let cookies = 0;
  for (const [i, header] of headers.entries()) {
    if (header === "") break;
    const [, name = "", value = ""] = /^([^:]+):[ \t]*(.*?)[ \t]*$/.exec(header) ?? [];
    if (name.toLowerCase() === "cookie") cookies += header.length;
    if (name.toLowerCase() === "host" && i < headers.length - 1) hosts.push(value);
  }
  const [host = null] = hosts.length === 1 ? hosts : [];
  return { host, size: { total: packet.length, cookies } };
}
