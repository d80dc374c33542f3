import { trimBlanks } from "./blanks.ts";

/**
 * Reads HTTP/1.1 responses of a container, which is not trusted: whatever does not follow the grammar to the letter
 * ends the connection. Only framing is read here; nothing is kept of a body.
 */
export interface ResponseSink {
  readonly onHead: (status: number, reason: string, headers: readonly string[]) => void;
  readonly onBody: (chunk: Buffer) => void;
  readonly onEnd: (trailers: readonly string[]) => void;
}

export class BadResponse extends Error {
  override readonly name = "BadResponse";
}

const MAX_HEAD_BYTES = 64 * 1024;
const MAX_CHUNK_LINE = 256;
/** How many 1xx may come before the answer. They are left out, so that a client would wait for as long as they come. */
const MAX_EARLY = 100;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5][0-9]{2})(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a control character in a value is what is being refused.
const BAD_VALUE = /[\0-\x08\x0a-\x1f\x7f]/;
/** A size and its extensions, which nobody reads: a name each, and perhaps a value. */
const CHUNK_SIZE =
  /^([0-9a-fA-F]{1,12})(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e]|\\[\t\x20-\x7e])*"))?)*$/;
const EMPTY: Buffer = Buffer.alloc(0);
const NO_TRAILERS: readonly string[] = [];

type State = "head" | "length" | "close" | "chunk-size" | "chunk-data" | "chunk-end" | "trailers" | "done";

export class ResponseParser {
  #sink: ResponseSink;
  #state: State = "head";
  #headOnly: boolean;
  /** What has come of a part that is not yet whole. */
  #rest: Buffer = EMPTY;
  /** Where the rest is gathered, with room for more, so that bytes that come one by one are not all copied every time. */
  #room: Buffer = EMPTY;
  /** How much of the rest is known not to hold the end that is looked for. */
  #searched = 0;
  #early = 0;
  #left = 0;
  #keepAlive = false;
  #ended: readonly string[] | null = null;

  constructor(sink: ResponseSink, headOnly: boolean) {
    this.#sink = sink;
    this.#headOnly = headOnly;
  }

  /** After the end: whether the connection may carry another exchange. */
  get reusable(): boolean {
    return this.#state === "done" && this.#keepAlive && this.#rest.length === 0;
  }

  get done(): boolean {
    return this.#state === "done";
  }

  /** What followed the head of a 101: the first bytes of the other protocol. */
  get leftover(): Buffer {
    return this.#rest;
  }

  feed(chunk: Buffer): void {
    let data = this.#rest.length === 0 ? chunk : this.#gather(chunk);
    while (data.length > 0 && this.#state !== "done") {
      const used = this.#step(data);
      if (used < 0) break;
      // Whoever got a part may keep it, so that nothing is written there again.
      this.#room = EMPTY;
      data = used === data.length ? EMPTY : data.subarray(used);
    }
    this.#rest = data;
    this.#announceEnd();
  }

  /** The rest with a chunk behind it. The room doubles, so that all copying together stays within twice the length. */
  #gather(chunk: Buffer): Buffer {
    const length = this.#rest.length + chunk.length;
    if (length > this.#room.length) {
      this.#room = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#rest.length));
      this.#rest.copy(this.#room);
    }
    chunk.copy(this.#room, this.#rest.length);
    return this.#room.subarray(0, length);
  }

  /** Where an end mark is, or -1 while it is missing; what was searched before is not searched again. */
  #find(mark: string, data: Buffer, max: number, problem: string): number {
    const end = data.indexOf(mark, this.#searched);
    if ((end < 0 ? data.length : end) > max) throw new BadResponse(problem);
    this.#searched = end < 0 ? Math.max(0, data.length - mark.length + 1) : 0;
    return end;
  }

  /** The container closed its side. For a body without length that is the end; else something is missing. */
  finish(): void {
    if (this.#state === "close") this.#end(NO_TRAILERS);
    if (this.#state === "done") this.#announceEnd();
    else throw new BadResponse("the connection closed in the middle of a response");
  }

  /** Bytes used, or -1 when more are needed. */
  #step(data: Buffer): number {
    switch (this.#state) {
      case "head":
        return this.#head(data);
      case "length":
      case "chunk-data":
        return this.#counted(data);
      case "close":
        this.#sink.onBody(data);
        return data.length;
      case "chunk-size":
        return this.#chunkSize(data);
      case "chunk-end":
        return this.#chunkEnd(data);
      case "trailers":
        return this.#trailers(data);
      case "done":
        return -1;
    }
  }

  #head(data: Buffer): number {
    const end = this.#find("\r\n\r\n", data, MAX_HEAD_BYTES, "its head is too long");
    if (end < 0) return -1;
    const lines = data.toString("latin1", 0, end).split("\r\n");
    const [, minor, code, reason] = STATUS_LINE.exec(lines[0] ?? "") ?? [];
    if (code === undefined) throw new BadResponse("its status line is malformed");
    const headers = parseLines(lines, 1);
    const status = Number(code);
    if (status >= 200 || status === 101) this.#begin(status, minor === "1", reason ?? "", headers);
    else this.#skipEarly(minor === "1", headers);
    return end + 4;
  }

  #skipEarly(http11: boolean, headers: readonly string[]): void {
    this.#early += 1;
    if (this.#early > MAX_EARLY) throw new BadResponse("it does not come to its answer");
    // HTTP/1.0 knows no 1xx and ends the connection after every answer.
    if (!http11 || readFraming(headers).close) throw new BadResponse("it ends the connection before its answer");
  }

  #begin(status: number, http11: boolean, reason: string, headers: readonly string[]): void {
    const framing = readFraming(headers);
    this.#keepAlive = framing.close ? false : http11 || framing.keepAlive;
    if (this.#headOnly || status === 101 || status === 204 || status === 304) this.#state = "done";
    else if (framing.chunked) this.#state = "chunk-size";
    else if (framing.length !== null) {
      this.#left = framing.length;
      this.#state = framing.length === 0 ? "done" : "length";
    } else {
      this.#keepAlive = false;
      this.#state = "close";
    }
    this.#sink.onHead(status, reason, headers);
    if (this.#state === "done") this.#ended = NO_TRAILERS;
  }

  #counted(data: Buffer): number {
    const part = data.length <= this.#left ? data : data.subarray(0, this.#left);
    this.#left -= part.length;
    const wasChunk = this.#state === "chunk-data";
    this.#sink.onBody(part);
    if (this.#left === 0) {
      if (wasChunk) this.#state = "chunk-end";
      else this.#end(NO_TRAILERS);
    }
    return part.length;
  }

  #chunkSize(data: Buffer): number {
    const end = this.#find("\r\n", data, MAX_CHUNK_LINE, "a chunk size is too long");
    if (end < 0) return -1;
    const [, size] = CHUNK_SIZE.exec(data.toString("latin1", 0, end)) ?? [];
    if (size === undefined) throw new BadResponse("a chunk size is malformed");
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? "trailers" : "chunk-data";
    return end + 2;
  }

  #chunkEnd(data: Buffer): number {
    if (data.length < 2) return -1;
    if (data[0] !== 13 || data[1] !== 10) throw new BadResponse("a chunk is longer than it said");
    this.#state = "chunk-size";
    return 2;
  }

  #trailers(data: Buffer): number {
    if (data.length < 2) return -1;
    if (data[0] === 13 && data[1] === 10) {
      this.#end(NO_TRAILERS);
      return 2;
    }
    const end = this.#find("\r\n\r\n", data, MAX_HEAD_BYTES, "its trailers are too long");
    if (end < 0) return -1;
    this.#end(parseLines(data.toString("latin1", 0, end).split("\r\n"), 0));
    return end + 4;
  }

  #end(trailers: readonly string[]): void {
    this.#state = "done";
    this.#ended = trailers;
  }

  /** Said after everything of the chunk was looked at, so that `reusable` knows of bytes that should not be there. */
  #announceEnd(): void {
    const trailers = this.#ended;
    this.#ended = null;
    if (trailers !== null) this.#sink.onEnd(trailers);
  }
}

function parseLines(lines: readonly string[], from: number): string[] {
  const headers: string[] = [];
  for (let i = from; i < lines.length; i += 1) {
    const line = lines[i] ?? "";
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    const value = trimBlanks(line.slice(colon + 1));
    if (colon < 1 || !TOKEN.test(name) || BAD_VALUE.test(value)) throw new BadResponse("a header is malformed");
    headers.push(name, value);
  }
  return headers;
}

interface Framing {
  chunked: boolean;
  length: number | null;
  close: boolean;
  keepAlive: boolean;
}

function readFraming(headers: readonly string[]): Framing {
  const framing: Framing = { chunked: false, length: null, close: false, keepAlive: false };
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? "";
    // Three lengths are enough to tell the framing headers from almost all others without lower-casing each name.
    if (name.length !== 14 && name.length !== 17 && name.length !== 10) continue;
    const value = headers[i + 1] ?? "";
    switch (name.toLowerCase()) {
      case "content-length":
        if (!/^[0-9]{1,15}$/.test(value) || framing.length !== null)
          throw new BadResponse("its Content-Length is malformed");
        framing.length = Number(value);
        break;
      case "transfer-encoding":
        if (value.toLowerCase() !== "chunked" || framing.chunked) throw new BadResponse("its coding is not understood");
        framing.chunked = true;
        break;
      case "connection":
        framing.close ||= /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i.test(value);
        framing.keepAlive ||= /(?:^|,)[\t ]*keep-alive[\t ]*(?:,|$)/i.test(value);
        break;
    }
  }
  if (framing.chunked && framing.length !== null) throw new BadResponse("it has both a length and chunks");
  return framing;
}
