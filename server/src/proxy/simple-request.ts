/**
 * A request of the plainest kind: GET, whole in one packet, nothing behind it, no body, no wish about the connection.
 * Most of what a page asks for is of this kind.
 */
export interface SimpleRequest {
  readonly method: "GET";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];
}

const MAX_BYTES = 16 * 1024;
const REQUEST_LINE = /^GET (\/[\x21\x22\x24-\x5b\x5d-\x7e]*) HTTP\/1\.1$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whoever sends one of these wants more than a simple answer, or says something that Node's parser has to judge. */
const NOT_SIMPLE: ReadonlySet<string> = new Set([
  "content-length",
  "transfer-encoding",
  "expect",
  "upgrade",
  "te",
  "trailer",
  "proxy-connection",
  "keep-alive",
  "http2-settings",
]);

/** Null for anything that is not plainly simple; nothing is guessed at, because another parser is there to judge it. */
export function readSimpleRequest(chunk: Buffer): SimpleRequest | null {
  if (chunk.length > MAX_BYTES || chunk[0] !== 0x47) return null;
  if (chunk.indexOf("\r\n\r\n") !== chunk.length - 4) return null;
  const lines = chunk.toString("latin1", 0, chunk.length - 4).split("\r\n");
  const url = REQUEST_LINE.exec(lines[0] ?? "")?.[1];
  if (url === undefined) return null;
  const headers: Record<string, string> = Object.create(null);
  const rawHeaders: string[] = [];
  for (let i = 1; i < lines.length; i += 1) {
    const line = lines[i] ?? "";
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    if (colon < 1 || !NAME.test(name) || !VALUE.test(value)) return null;
    const lower = name.toLowerCase();
    // A name that comes twice is joined or dropped by rules of its own, which are the other parser's business.
    if (NOT_SIMPLE.has(lower) || lower in headers) return null;
    if (lower === "connection" && value.toLowerCase() !== "keep-alive") return null;
    headers[lower] = value;
    rawHeaders.push(name, value);
  }
  return { method: "GET", url, headers, rawHeaders };
}
