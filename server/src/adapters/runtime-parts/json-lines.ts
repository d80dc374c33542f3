import type { Readable } from "node:stream";

const LINE_LIMIT = 1024 * 1024;

/** Values of a stream of JSON documents, one a line, as engines send events, and the progress of a pull. */
export async function* jsonLines<T>(stream: Readable): AsyncGenerator<T> {
  let rest = "";
  stream.setEncoding("utf8");
  for await (const chunk of stream as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > LINE_LIMIT) throw new Error("a line of the answer is too long");
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line) as T;
  }
  if (rest.trim() !== "") yield JSON.parse(rest) as T;
}
