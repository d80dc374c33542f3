import { expect, test } from "vitest";
import { REQUEST, type Span } from "#ports/tracer.ts";
import { encodeTraces, spanIdOf, traceIdOf } from "./encode.ts";

const journey = { workspaceId: "6f1c8a52-7f0e-4d0a-9a3e-000000000001", version: 3 };
const request: Span = {
  journey,
  id: REQUEST,
  parent: null,
  name: "PATCH /api/v1/workspaces/:id",
  from: 1_700_000_000_123,
  to: 1_700_000_000_130,
  fields: { "http.response.status_code": 202 },
  failure: null,
};
const resource = { serviceName: "codehub", version: "1.2.3", host: "here", pid: 7, roles: ["api"] };

test("ids have the lengths of OTLP, are the same for whoever makes them, and differ by request and by span", () => {
  expect(traceIdOf(journey)).toMatch(/^[0-9a-f]{32}$/);
  expect(traceIdOf({ ...journey })).toBe(traceIdOf(journey));
  expect(traceIdOf({ ...journey, version: 4 })).not.toBe(traceIdOf(journey));
  expect(spanIdOf(journey, REQUEST)).toMatch(/^[0-9a-f]{16}$/);
  expect(spanIdOf(journey, "claim")).not.toBe(spanIdOf(journey, REQUEST));
});

test("a span is what the JSON of OTLP says", () => {
  const claim: Span = {
    ...request,
    id: "1 a claim",
    parent: REQUEST,
    name: "claim",
    fields: { epoch: 1 },
    failure: "Timeout",
  };
  const body = JSON.parse(encodeTraces(resource, [request, claim]));
  const [{ resource: described, scopeSpans }] = body.resourceSpans;
  expect(described.attributes).toContainEqual({ key: "service.name", value: { stringValue: "codehub" } });
  expect(described.attributes).toContainEqual({ key: "process.pid", value: { intValue: "7" } });
  const [first, second] = scopeSpans[0].spans;
  expect(first).toEqual({
    traceId: traceIdOf(journey),
    spanId: spanIdOf(journey, REQUEST),
    name: "PATCH /api/v1/workspaces/:id",
    kind: 2,
    startTimeUnixNano: "1700000000123000000",
    endTimeUnixNano: "1700000000130000000",
    attributes: [
      { key: "codehub.workspace.id", value: { stringValue: journey.workspaceId } },
      { key: "codehub.request.version", value: { intValue: "3" } },
      { key: "http.response.status_code", value: { intValue: "202" } },
    ],
  });
  expect(second).toMatchObject({ parentSpanId: first.spanId, kind: 1, status: { code: 2 } });
  expect(second.attributes).toContainEqual({ key: "codehub.epoch", value: { intValue: "1" } });
  expect(second.attributes).toContainEqual({ key: "error.type", value: { stringValue: "Timeout" } });
});
