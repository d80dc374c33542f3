/** What becomes of a response's content. */
export interface ChangingContent {
  /** Of each chunk, in order. Nothing is held back, so nothing is left at the end. */
  readonly chunk: (chunk: Buffer) => Buffer;
  /** All of it has come; never called for content that was cut off. */
  readonly end: () => void;
}

/**
 * Changes the content of responses on their way to the client. The head decides whether; what it would then say of
 * content that is no longer there is left out by `changedHead`.
 */
export interface ContentChange {
  /** Null where the response passes as it is. `headers` are names and values in turn. */
  readonly begin: (status: number, headers: readonly string[]) => ChangingContent | null;
}

/** Told of bytes that the client does not get. Without Accept-Ranges, nobody asks for parts to join to what was changed. */
const OF_THE_BYTES: ReadonlySet<string> = new Set([
  "content-length",
  "content-digest",
  "repr-digest",
  "digest",
  "content-md5",
  "accept-ranges",
]);

/**
 * The head of changed content, and of the 304 that lets a client use it again. Its ETag is a weak one: the content means
 * the same and may be used again, but a part of the container's own must not be joined to it.
 */
export function changedHead(headers: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? "";
    const value = headers[i + 1] ?? "";
    const lower = name.toLowerCase();
    if (OF_THE_BYTES.has(lower)) continue;
    out.push(name, lower === "etag" && !value.startsWith("W/") ? `W/${value}` : value);
  }
  return out;
}

/** The trailers of changed content. */
export const changedTrailers = (trailers: readonly [string, string][]): [string, string][] =>
  trailers.filter(([name]) => {
    const lower = name.toLowerCase();
    return lower !== "etag" && !OF_THE_BYTES.has(lower);
  });
