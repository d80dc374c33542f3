import { ErrorBody } from "./errors.ts";
import { eventSchemas } from "./events.ts";
import { type Route, routeIds, routes } from "./routes.ts";
import { type ErrorCode, errorCatalogue } from "./words/errors.ts";

type Json = Record<string, unknown>;

/** Errors any route can answer with, whatever it does. */
const commonErrors: readonly ErrorCode[] = [
  "BAD_REQUEST",
  "VALIDATION_FAILED",
  "MISDIRECTED_HOST",
  "INTERNAL",
  "DATABASE_UNAVAILABLE",
  "SERVER_RESTARTING",
];
const signedInErrors: readonly ErrorCode[] = ["UNAUTHENTICATED", "CSRF_REJECTED", "DUPLICATE_COOKIE"];

/** Every error code a route may answer with, from the table and from what its audience implies. */
export const errorsOf = (route: Route): readonly ErrorCode[] => [
  ...new Set<ErrorCode>([
    ...commonErrors,
    ...(route.audience === "public" ? [] : signedInErrors),
    ...(route.audience === "public" || route.whilePasswordDue === true ? [] : (["PASSWORD_CHANGE_REQUIRED"] as const)),
    ...(route.sessionOnly === true ? (["SESSION_REQUIRED"] as const) : []),
    ...(route.audience === "admin" ? (["FORBIDDEN"] as const) : []),
    ...(route.audience === "owner" ? (["FORBIDDEN"] as const) : []),
    ...(route.reconfirm === undefined
      ? []
      : (["PASSWORD_REQUIRED", "INVALID_CREDENTIALS", "TOO_MANY_ATTEMPTS", "OVERLOADED"] as const)),
    ...(route.params === undefined ? [] : (["NOT_FOUND"] as const)),
    ...(route.method === "GET" ? [] : (["CSRF_REJECTED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const)),
    ...route.errors,
  ]),
];

/** Copies a schema, moving every titled part into `components` and leaving a reference in its place. */
function extract(schema: unknown, components: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => extract(item, components));
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, extract(value, components)]));
  const title = copy["title"];
  if (typeof title !== "string") return copy;
  components[title] = copy;
  return { $ref: `#/components/schemas/${title}` };
}

function parameters(route: Route, components: Json): Json[] {
  const of = (place: "path" | "query", schema: unknown): Json[] => {
    const object = (schema ?? {}) as { properties?: Json; required?: string[] };
    return Object.entries(object.properties ?? {}).map(([name, value]) => ({
      name,
      in: place,
      required: object.required?.includes(name) ?? false,
      schema: extract(value, components),
    }));
  };
  return [...of("path", route.params), ...of("query", route.query)];
}

function responses(route: Route, components: Json): Json {
  const { success } = route;
  const result: Json = {
    [success.status]: {
      description: route.summary,
      ...(success.schema === null && success.media === undefined
        ? {}
        : {
            content: {
              [success.media ?? "application/json"]: {
                schema: success.schema === null ? { type: "string" } : extract(success.schema, components),
              },
            },
          }),
    },
  };
  for (const [status, schema] of Object.entries(route.also ?? {}))
    result[status] = { description: "", content: { "application/json": { schema: extract(schema, components) } } };
  const byStatus = Map.groupBy(errorsOf(route), (code) => errorCatalogue[code].status);
  for (const [status, codes] of byStatus)
    result[status] ??= {
      description: codes.map((code) => `${code}: ${errorCatalogue[code].message}`).join("\n\n"),
      content: { "application/json": { schema: extract(ErrorBody, components) } },
    };
  return result;
}

/** The server reads a missing body as an empty object, so one is needed where an empty object will not do. */
const isNeeded = (body: { required?: readonly string[]; minProperties?: number }): boolean =>
  (body.required?.length ?? 0) > 0 || (body.minProperties ?? 0) > 0;

const operation = (id: string, route: Route, components: Json): Json => ({
  operationId: id,
  tags: [route.tag],
  summary: route.summary,
  "x-audience": route.audience,
  security: route.audience === "public" ? [] : [{ cookie: [] }, ...(route.sessionOnly === true ? [] : [{ token: [] }])],
  parameters: parameters(route, components),
  ...(route.body === undefined
    ? {}
    : {
        requestBody: {
          required: isNeeded(route.body),
          content: { "application/json": { schema: extract(route.body, components) } },
        },
      }),
  responses: responses(route, components),
});

/** The OpenAPI 3.1 document of the whole route table. */
export function openApiDocument(info: { version: string; serverUrl: string }): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  for (const id of routeIds) {
    const route: Route = routes[id];
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(id, route, components) };
  }
  for (const schema of Object.values(eventSchemas)) extract(schema, components);
  return {
    openapi: "3.1.0",
    info: {
      title: "CodeHub",
      version: info.version,
      description: "Workspaces that sleep when idle and never lose a home.",
    },
    servers: [{ url: info.serverUrl }],
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        cookie: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-Http-codehub",
          description:
            "With the cookie, requests that change something need the dashboard's Origin and Content-Type: " +
            "application/json, also where they have no body.",
        },
        token: { type: "http", scheme: "bearer" },
      },
    },
  };
}
