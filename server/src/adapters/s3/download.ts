import { Readable } from "node:stream";
import { GetObjectCommand, type GetObjectCommandOutput, type S3Client } from "@aws-sdk/client-s3";
import { asFailure } from "./client.ts";

/** How often a download that broke is taken up again where it broke, without any byte in between. */
const MAX_BREAKS = 3;

export interface Source {
  readonly client: S3Client;
  readonly bucket: string;
  readonly key: string;
  readonly timeoutMs: number;
}

/**
 * One object as one stream. A connection that breaks or stalls is taken up where it ended, and only if the object is
 * still the same one; the reader sees no seam.
 */
export async function download(source: Source, signal: AbortSignal): Promise<{ body: Readable; sizeBytes: number }> {
  const first = await request(source, 0, undefined, signal);
  const sizeBytes = first.ContentLength;
  if (sizeBytes === undefined) throw new Error("the store did not say how large the object is");
  // A reader that goes away ends the request at once, also while it waits for the store.
  const gone = new AbortController();
  const bytes = bytesOf(source, first, sizeBytes, AbortSignal.any([signal, gone.signal]));
  const body = new Readable({
    highWaterMark: 2 ** 18,
    read() {
      bytes.next().then(
        ({ done, value }) => this.push(done === true ? null : value),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      gone.abort();
      (first.Body as Readable | undefined)?.destroy();
      done(error);
    },
  });
  return { body, sizeBytes };
}

function request(
  source: Source,
  from: number,
  etag: string | undefined,
  signal: AbortSignal,
): Promise<GetObjectCommandOutput> {
  const place = { Bucket: source.bucket, Key: source.key };
  const rest = from > 0 ? { Range: `bytes=${from}-` } : {};
  const same = etag === undefined ? {} : { IfMatch: etag };
  return source.client.send(new GetObjectCommand({ ...place, ...rest, ...same }), { abortSignal: signal });
}

async function* bytesOf(
  source: Source,
  first: GetObjectCommandOutput,
  sizeBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let at = 0;
  let breaks = 0;
  let answer: GetObjectCommandOutput | null = first;
  while (true) {
    try {
      answer ??= await request(source, at, first.ETag, signal);
      for await (const chunk of unstalled(answer.Body as Readable, source.timeoutMs, signal)) {
        at += chunk.length;
        breaks = 0;
        yield chunk;
      }
      if (at < sizeBytes) throw new Error(`the connection ended after ${at} of ${sizeBytes} bytes`);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (++breaks > MAX_BREAKS) throw asFailure("reading an archive", error);
    } finally {
      (answer?.Body as Readable | undefined)?.destroy();
      answer = null;
    }
  }
}

/** Ends a stream from which nothing comes while somebody waits for it. Time that the reader takes does not count. */
async function* unstalled(body: Readable, timeoutMs: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const stalled = () => body.destroy(new Error(`no bytes came for ${timeoutMs} ms`));
  const stop = () => body.destroy(new Error("the download was aborted"));
  signal.addEventListener("abort", stop, { once: true });
  let timer = setTimeout(stalled, timeoutMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      yield chunk;
      timer = setTimeout(stalled, timeoutMs);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
