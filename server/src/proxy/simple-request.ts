/**
 * A request of the plainest kind: GET, whole in one packet, nothing behind it, no body, no wish about the connection.
 * Most of what a page asks for is of this kind.
 */
export interface SimpleRequest extends SimpleHeaders {
  readonly method: "GET";
  readonly url: string;
}

interface SimpleHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];
}

const MAX_BYTES = 16 * 1024;
const REQUEST_LINE = /^GET (\/[\x21\x22\x24-\x5b\x5d-\x7e]*) HTTP\/1\.1\r\n$/;
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

const END_OF_LINE = 0x0a;

/**
 * Reads the requests of one connection. A client says the same of itself with every one of them: headers that equal the
 * last ones byte for byte are not read again, and are the same object, so that whatever followed from them holds, too.
 */
export class SimpleRequestReader {
  #block: Buffer = Buffer.alloc(0);
  #headers: SimpleHeaders | null = null;

  /** Null for anything that is not plainly simple; nothing is guessed at, because another parser is there to judge it. */
  read(chunk: Buffer): SimpleRequest | null {
    if (chunk.length > MAX_BYTES || chunk[0] !== 0x47) return null;
    const lineEnd = chunk.indexOf(END_OF_LINE);
    const url = REQUEST_LINE.exec(chunk.toString("latin1", 0, lineEnd + 1))?.[1];
    if (url === undefined) return null;
    const headers = this.#read(chunk, lineEnd + 1);
    return headers === null ? null : { method: "GET", url, ...headers };
  }

  #read(chunk: Buffer, from: number): SimpleHeaders | null {
    const length = chunk.length - from;
    if (length === this.#block.length && this.#block.compare(chunk, from) === 0) return this.#headers;
    const block = Buffer.from(chunk.subarray(from));
    this.#headers = readHeaders(block);
    this.#block = block;
    return this.#headers;
  }
}

function readHeaders(block: Buffer): SimpleHeaders | null {
  if (block.indexOf("\r\n\r\n") !== block.length - 4) return null;
  const lines = block.toString("latin1", 0, block.length - 4).split("\r\n");
  const headers: Record<string, string> = Object.create(null);
  const rawHeaders: string[] = [];
  for (const line of lines) {
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
  return { headers, rawHeaders };
}
