import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { systemClock as clock } from "#adapters/system/clock.ts";
import { REQUEST, type Span } from "#ports/tracer.ts";
import { OtlpExporter } from "./exporter.ts";

const span: Span = {
  journey: { workspaceId: "w", version: 1 },
  id: REQUEST,
  parent: null,
  name: "visit",
  from: 0,
  to: 1,
  fields: {},
  failure: null,
};

/** A collector that answers with these statuses, and then with 200. */
async function collector(...statuses: number[]) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
    request.on("end", () => response.writeHead(statuses.shift() ?? 200).end());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1/traces`, bodies, close: () => server.close() };
}

const complaints: object[] = [];
const logger = {
  ...{ debug: () => undefined, info: () => undefined, error: () => undefined, child: () => logger },
  warn: (fields: object) => void complaints.push(fields),
};
const resource = { serviceName: "codehub", version: "1", host: "here", pid: 1, roles: [] };

test("what waits is sent before the process ends", async () => {
  const { url, bodies, close } = await collector();
  const exporter = new OtlpExporter({ url, headers: {}, resource, clock, logger });
  exporter.record(span);
  await exporter.close();
  close();
  expect(bodies.join("")).toContain('"name":"visit"');
  expect(complaints).toEqual([]);
});

test("a collector that takes nothing is asked once at the end, however much waits, and spoken of once", async () => {
  const { url, bodies, close } = await collector(...Array.from({ length: 99 }, () => 503));
  const exporter = new OtlpExporter({ url, headers: {}, resource, clock, logger });
  for (let n = 0; n < 9_000; n += 1) exporter.record(span);
  await exporter.close();
  close();
  // 512 of the 4,096 that are kept.
  expect(bodies.join("").match(/"traceId"/g)).toHaveLength(512);
  expect(complaints).toEqual([{ dropped: 9_000 - 4_096 + 512, said: "status 503" }]);
});
