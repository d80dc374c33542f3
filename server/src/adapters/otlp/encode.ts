import { createHash } from "node:crypto";
import type { Journey, Span } from "#ports/tracer.ts";

/** What every span of a process has in common. */
export interface Resource {
  readonly serviceName: string;
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  readonly roles: readonly string[];
}

const hash = (text: string, hexDigits: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, hexDigits);

/** Nobody passes these on: whoever knows the workspace and the number of the request knows the trace. */
export const traceIdOf = ({ workspaceId, version }: Journey): string => hash(`${workspaceId} ${version}`, 32);
export const spanIdOf = (journey: Journey, id: string): string => hash(`${traceIdOf(journey)} ${id}`, 16);

const SERVER = 2;
const INTERNAL = 1;
const ERROR = 2;

type Value = { readonly stringValue: string } | { readonly intValue: string };
const attribute = (key: string, value: string | number): { readonly key: string; readonly value: Value } => ({
  key,
  value: typeof value === "number" ? { intValue: String(Math.round(value)) } : { stringValue: value },
});
const attributes = (fields: Readonly<Record<string, string | number>>): ReturnType<typeof attribute>[] =>
  Object.entries(fields).map(([key, value]) => attribute(key, value));

/** 64-bit numbers are strings in OTLP's JSON. */
const nanoseconds = (ms: number): string => `${Math.round(ms)}000000`;

function encodeSpan({ journey, id, parent, name, from, to, fields, failure }: Span): object {
  const named = Object.fromEntries(Object.entries(fields).map(([key, value]) => [prefixed(key), value]));
  return {
    traceId: traceIdOf(journey),
    spanId: spanIdOf(journey, id),
    ...(parent === null ? {} : { parentSpanId: spanIdOf(journey, parent) }),
    name,
    kind: parent === null ? SERVER : INTERNAL,
    startTimeUnixNano: nanoseconds(from),
    endTimeUnixNano: nanoseconds(to),
    attributes: attributes({
      "codehub.workspace.id": journey.workspaceId,
      "codehub.request.version": journey.version,
      ...named,
      ...(failure === null ? {} : { "error.type": failure }),
    }),
    ...(failure === null ? {} : { status: { code: ERROR } }),
  };
}

/** Names that the conventions know stay as they are; ours are ours. */
const prefixed = (key: string): string => (key.includes(".") ? key : `codehub.${key}`);

/** The body of one export, as OTLP over HTTP has it in JSON (opentelemetry-proto 1.x, ExportTraceServiceRequest). */
export function encodeTraces(resource: Resource, spans: readonly Span[]): string {
  const { serviceName, version, host, pid, roles } = resource;
  const described = {
    "service.name": serviceName,
    "service.version": version,
    "service.instance.id": `${host} ${pid}`,
    "host.name": host,
    "process.pid": pid,
    "codehub.roles": roles.join(","),
  };
  const scopeSpans = [{ scope: { name: "codehub", version }, spans: spans.map(encodeSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: attributes(described) }, scopeSpans }] });
}
