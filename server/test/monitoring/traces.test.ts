import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { spanIdOf, traceIdOf } from "#adapters/otlp/encode.ts";
import { REQUEST } from "#ports/tracer.ts";
import { dataDirectory, removeAll, type Stage, startStage } from "../cli/stage.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { type Collector, type ReceivedSpan, startCollector } from "./collector.ts";

let database: TestDatabase;
let dataDir: string;
let collector: Collector;
let stage: Stage;
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await dataDirectory();
  collector = await startCollector();
  stage = await startStage(dataDir, async () => database.url, {
    DATABASE_URL: database.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector",
  });
});
afterAll(async () => {
  await stage?.stop();
  await collector?.[Symbol.asyncDispose]();
  await database?.drop();
  await removeAll(dataDir);
});

/** The spans of one journey once the last that is awaited has come. */
function traced(workspaceId: string, version: number, awaited: readonly string[]): Promise<readonly ReceivedSpan[]> {
  const traceId = traceIdOf({ workspaceId, version });
  return vi.waitFor(
    () => {
      const spans = collector.spans.filter((span) => span.traceId === traceId);
      expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining([...awaited]));
      return spans;
    },
    { timeout: 20_000, interval: 100 },
  );
}

function attributeOf({ attributes }: ReceivedSpan, key: string): string | undefined {
  const { value } = attributes.find((attribute) => attribute.key === key) ?? {};
  return value?.stringValue ?? value?.intValue;
}

test("one trace leads from the request to RUNNING, with every step and what it is a part of", async () => {
  // A collector that is busy for a moment loses nothing.
  collector.refuseWith.push(503);
  const { id } = await stage.api.createWorkspace({ body: { name: "traced" } });
  await stage.reaches(id, "RUNNING");
  const spans = await traced(id, 1, ["POST /api/v1/workspaces", "PROVISIONING", "STARTING"]);
  const request = spanIdOf({ workspaceId: id, version: 1 }, REQUEST);
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  expect(byId.size).toBe(spans.length);
  const told = spans.map(({ name, parentSpanId }) => `${byId.get(parentSpanId ?? "")?.name ?? "-"} > ${name}`);
  const api = "POST /api/v1/workspaces";
  expect(told.toSorted()).toEqual(
    [
      `- > ${api}`,
      `${api} > claim`,
      `${api} > PROVISIONING`,
      "PROVISIONING > volume",
      "PROVISIONING > seal",
      "PROVISIONING > commit",
      `${api} > claim`,
      `${api} > STARTING`,
      "STARTING > volume",
      "STARTING > what it is given",
      "STARTING > image",
      "STARTING > container",
      "STARTING > until it answers",
      "STARTING > commit",
    ].toSorted(),
  );
  const root = byId.get(request);
  expect([root?.name, root && attributeOf(root, "http.response.status_code")]).toEqual([api, "201"]);
  for (const span of spans) {
    expect(attributeOf(span, "codehub.workspace.id")).toBe(id);
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    expect(span.status).toBeUndefined();
  }
  const begun = (name: string): bigint[] =>
    spans.filter((span) => span.name === name).map(({ startTimeUnixNano }) => BigInt(startTimeUnixNano));
  const order = [api, "PROVISIONING", "STARTING", "container", "until it answers"].flatMap(begun);
  expect(order).toEqual(order.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
  expect(new Set(collector.headers)).toEqual(new Set(["Bearer collector"]));
});

test("the next request is another trace, one that asks for nothing is none, and a failure says what kind it was", async () => {
  const { id } = await stage.api.createWorkspace({ body: { name: "second", desired_state: "ARCHIVED" } });
  await stage.reaches(id, "ARCHIVED");
  await stage.api.updateWorkspace({ params: { id }, body: { memo: "only a word" } });
  await removeAll(`${dataDir}/archives`);
  await stage.api.updateWorkspace({ params: { id }, body: { desired_state: "RUNNING" } });
  const spans = await traced(id, 2, ["PATCH /api/v1/workspaces/:id", "RESTORING"]);
  expect(spans.filter(({ parentSpanId }) => parentSpanId === undefined)).toHaveLength(1);
  const [failed] = spans.filter(({ name }) => name === "RESTORING");
  expect([failed?.status, failed && attributeOf(failed, "error.type")]).toEqual([
    { code: 2 },
    expect.stringMatching(/^[A-Z]\w+$/),
  ]);
  const first = await traced(id, 1, ["POST /api/v1/workspaces"]);
  expect(first.filter(({ parentSpanId }) => parentSpanId === undefined)).toHaveLength(1);
});
