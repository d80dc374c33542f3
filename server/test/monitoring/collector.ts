import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: { stringValue?: string; intValue?: string } }[];
  readonly status?: { readonly code: number };
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** What came with each request. */
  readonly headers: (string | undefined)[];
  /** What the next requests are answered with; 200 afterwards. */
  readonly refuseWith: number[];
}

/** Takes OTLP over HTTP as a collector does: another path, method or type than the specification's is refused. */
export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const headers: (string | undefined)[] = [];
  const refuseWith: number[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const right = request.method === "POST" && request.url === "/v1/traces";
    const status = right && request.headers["content-type"] === "application/json" ? (refuseWith.shift() ?? 200) : 400;
    headers.push(request.headers.authorization);
    if (status === 200)
      for (const { scopeSpans } of JSON.parse(body).resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans);
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    headers,
    refuseWith,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
