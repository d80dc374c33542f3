import type { IncomingMessage } from "node:http";
import { withoutOurs } from "#proxy/door/cookies.ts";
import { trimBlanks } from "./blanks.ts";

/** What the container is told beyond the client's own headers. */
export interface ForwardFacts {
  readonly host: string;
  readonly proto: "http" | "https";
  /** The path prefix to say and to cut off, where a workspace is served below one. */
  readonly prefix: string;
}

/** How a body follows the head. */
export type BodyFraming = "none" | "length" | "chunked";

export interface RequestHead {
  /** Everything up to and including the empty line. */
  readonly text: string;
  readonly framing: BodyFraming;
  /** What Connection named, which is not sent on as a trailer either. */
  readonly named: ReadonlySet<string> | null;
}

export interface HeadProblem {
  readonly problem: string;
}

/** Never sent on: they speak of one connection only, or only we may say them. */
const DROPPED: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
  "expect",
  "forwarded",
  "x-real-ip",
]);

/** A client that lists one of these in Connection wants it removed on the way; removing it would change whose or what the request is. */
const UNDROPPABLE: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "cookie",
  "origin",
  "authorization",
]);

/** Whether a name, in small letters, stays behind whatever its value. */
export const neverSentOn = (lower: string): boolean =>
  DROPPED.has(lower) || lower.startsWith("x-forwarded-") || lower.startsWith("x-codehub-");

/** An API token of ours is of no use to a container, except to steal it. */
const isOurToken = (name: string, value: string): boolean =>
  name === "authorization" && /^bearer\s+codehub_/i.test(value);

/**
 * The request as the container gets it. Node's strict parser has refused broken framing before; what is refused here
 * is well-formed but means two things: a coding we would have to guess at, and a Connection header that would take away
 * what authorisation rests on.
 * `plain`: the response's content may be changed on its way back, which a compressed one cannot.
 */
export function requestHead(
  req: IncomingMessage,
  target: string,
  facts: ForwardFacts,
  plain = false,
): RequestHead | HeadProblem {
  const named = connectionNames(req.headers.connection);
  if (named === "refused") return { problem: "Connection names a header that cannot be removed" };
  const coding = req.headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    return { problem: "Transfer-Encoding is not chunked" };

  const raw = req.rawHeaders;
  let text = `${req.method} ${target} HTTP/1.1\r\n`;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? "";
    const value = raw[i + 1] ?? "";
    const lower = name.toLowerCase();
    if (neverSentOn(lower) || named?.has(lower) || isOurToken(lower, value)) continue;
    if (plain && lower === "accept-encoding") continue;
    if (lower === "cookie") {
      const kept = withoutOurs(value);
      if (kept !== "") text += `${name}: ${kept}\r\n`;
      continue;
    }
    text += `${name}: ${value}\r\n`;
  }
  text += `Host: ${facts.host}\r\nX-Forwarded-Host: ${facts.host}\r\nX-Forwarded-Proto: ${facts.proto}\r\n`;
  if (plain) text += "Accept-Encoding: identity\r\n";
  if (facts.prefix !== "") text += `X-Forwarded-Prefix: ${facts.prefix}\r\n`;
  if (coding !== undefined) return { text: `${text}Transfer-Encoding: chunked\r\n\r\n`, framing: "chunked", named };
  const length = req.headers["content-length"];
  return { text: `${text}\r\n`, framing: length === undefined || length === "0" ? "none" : "length", named };
}

/** Null for the common values that name nothing. */
function connectionNames(header: string | undefined): ReadonlySet<string> | null | "refused" {
  if (header === undefined || header === "keep-alive" || header === "close") return null;
  const names = new Set(header.split(",").map((name) => trimBlanks(name).toLowerCase()));
  for (const name of names) if (UNDROPPABLE.has(name)) return "refused";
  return names;
}

/** The head of a WebSocket upgrade: the same rules, and the two headers that ask for it. */
export function upgradeHead(
  req: IncomingMessage,
  target: string,
  facts: ForwardFacts,
  withoutExtensions: boolean,
): RequestHead | HeadProblem {
  const head = requestHead(req, target, facts);
  if ("problem" in head) return head;
  if (head.framing !== "none") return { problem: "an upgrade has no body" };
  const lines = head.text
    .slice(0, -2)
    .split("\r\n")
    .filter((line) => !withoutExtensions || !/^sec-websocket-extensions:/i.test(line));
  return {
    text: `${lines.join("\r\n")}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    framing: "none",
    named: head.named,
  };
}
