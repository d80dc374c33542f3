import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline, Transform } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

/** A narrow line to a server, so that somebody can watch what travels over it. */
export interface SlowLink extends AsyncDisposable {
  readonly host: string;
  /** Lets everything through from now on. */
  readonly widen: () => void;
}

const PIECE = 8_192;

export async function slowLink(to: string, bytesPerSecond: number, address = "127.0.0.1"): Promise<SlowLink> {
  let wide = false;
  const narrow = () =>
    new Transform({
      transform: async function slowly(chunk: Buffer, _, done) {
        for (let at = 0; at < chunk.length; at += PIECE) {
          this.push(chunk.subarray(at, at + PIECE));
          if (!wide) await pause((1_000 * PIECE) / bytesPerSecond);
        }
        done();
      },
    });
  const server = http.createServer((request, response) => {
    const { method, headers, url = "/" } = request;
    const onward = http.request(new URL(url, to), { ...(method === undefined ? {} : { method }), headers });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, narrow(), response, () => undefined);
    });
    pipeline(request, onward, () => undefined);
  });
  server.listen(0, address);
  await once(server, "listening");
  return {
    host: `${address}:${(server.address() as AddressInfo).port}`,
    widen: () => {
      wide = true;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
