import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { JobFailure } from "./protocol.ts";

/** A store that takes longer than this for an answer, or for the next bytes of one, is not there. */
export const SILENCE_MS = 60_000;
const TRIES = 5;
const FIRST_PAUSE_MS = 500;

export interface Asking {
  readonly method: "GET" | "PUT";
  readonly headers: OutgoingHttpHeaders;
  /** Certificates to trust besides the system's. */
  readonly ca: string | null;
}

/** The answer, if it is a success. The address is never told: whoever reads it could use it. */
export function request(address: string, { method, headers, ca }: Asking, body?: Buffer): Promise<IncomingMessage> {
  const make = address.startsWith("https:") ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const asking = make(address, { method, headers, agent: false, ...(ca === null ? {} : { ca }) });
    asking.setTimeout(SILENCE_MS, () => asking.destroy(new Error("the store does not answer")));
    asking.on("error", reject);
    asking.on("response", (response) => {
      // From here on it is up to who reads: one that waits for a disk hears nothing either, and the store is there.
      asking.setTimeout(0);
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) return resolve(response);
      text(Readable.from(patiently(response))).then((said) => reject(refusal(statusCode, said)), reject);
    });
    asking.end(body);
  });
}

function refusal(status: number, said: string): Error {
  const words = /<Code>([^<]*)<\/Code>/.exec(said)?.[1] ?? said.slice(0, 200);
  if (status === 403)
    return new JobFailure("Unreachable", `the store does not take this address, or not any more (${words})`);
  if (status === 404) return new JobFailure("Unreachable", `the store does not know it any more (${words})`);
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
    return new JobFailure("ActionFailed", `the store refused it (HTTP ${status}, ${words})`);
  }
  return new Error(`HTTP ${status}, ${words}`);
}

/** What an answer brings. Only the time in which the next bytes are waited for counts, not what somebody does with them. */
export async function* patiently(response: IncomingMessage, silenceMs: number = SILENCE_MS): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
  try {
    for (;;) {
      const silent = setTimeout(() => response.destroy(new Error("the store does not go on")), silenceMs);
      const { done, value } = await chunks.next().finally(() => clearTimeout(silent));
      if (done === true) return;
      yield value;
    }
  } finally {
    response.destroy();
  }
}

/**
 * Through short outages: what the store refused is not asked for again, what it did not answer is. Whoever gets on in
 * between, by what `reached` says, begins to count anew.
 */
export async function exchange<T>(doing: string, work: () => Promise<T>, reached: () => number = () => 0): Promise<T> {
  let before = reached();
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof JobFailure) throw error;
      if (reached() > before) tries = 1;
      before = reached();
      const { message } = error as Error;
      if (tries >= TRIES) throw new JobFailure("Unreachable", `${doing} failed: ${message}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** (tries - 1)));
    }
  }
}
