import type { Static, TSchema } from "typebox";
import type { ErrorBody } from "./errors.ts";
import { type Route, type RouteId, type Routes, routeIds, routes } from "./routes.ts";
import type { ErrorCode } from "./words/errors.ts";

type Part<R, K extends "params" | "query" | "body"> = R extends { readonly [P in K]: infer S extends TSchema }
  ? Static<S>
  : undefined;
type Optionalize<T> = T extends undefined ? object : T;
type Arguments<R> = (Part<R, "params"> extends undefined ? object : { params: Part<R, "params"> }) &
  (Part<R, "query"> extends undefined ? object : { query?: Optionalize<Part<R, "query">> }) &
  (Part<R, "body"> extends undefined ? object : { body: Part<R, "body"> });
type Answer<R> = R extends { readonly success: { readonly schema: infer S } }
  ? S extends TSchema
    ? Static<S>
    : undefined
  : never;
type RequiredKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T];

export interface CallOptions {
  readonly signal?: AbortSignalLike;
  /** Sent again where the server answered PASSWORD_REQUIRED. */
  readonly password?: string;
}
/** A route becomes a function; what has nothing to send can be called without arguments. */
type Call<R> =
  RequiredKeys<Arguments<R>> extends never
    ? (args?: Arguments<R>, options?: CallOptions) => Promise<Answer<R>>
    : (args: Arguments<R>, options?: CallOptions) => Promise<Answer<R>>;

export type Client = { readonly [Id in RouteId]: Call<Routes[Id]> } & {
  /** The address of a route, for links, downloads and EventSource. */
  readonly url: <Id extends RouteId>(id: Id, args?: Arguments<Routes[Id]>) => string;
};

/** The few parts of fetch the client needs, so that the contract depends on no platform. */
export interface AbortSignalLike {
  readonly aborted: boolean;
}
interface ResponseLike {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { readonly get: (name: string) => string | null };
  readonly text: () => Promise<string>;
}
export type FetchLike = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; credentials: "same-origin"; signal?: never },
) => Promise<ResponseLike>;

export interface ClientOptions {
  /** "" for a page of the server itself, else for example http://localhost:8000. */
  readonly baseUrl: string;
  readonly fetch: FetchLike;
  /** An API token; without one the browser's cookie is used. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer of the server that is not the hoped-for one. `code` is NETWORK when there was no answer at all. */
export class ApiError extends Error {
  readonly code: ErrorCode | "NETWORK";
  readonly status: number;
  readonly action: string;
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, error: Partial<ErrorBody["error"]>, retryAfter: string | null, cause?: unknown) {
    super(error.message ?? "The server could not be reached.", { cause });
    this.name = "ApiError";
    this.code = error.code ?? (status === 0 ? "NETWORK" : "INTERNAL");
    this.status = status;
    this.action = error.action ?? "Check the connection and try again.";
    this.requestId = error.request_id ?? null;
    this.details = error.details ?? {};
    this.retryAfterSeconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
  }
}

interface AnyArguments {
  params?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

function address(route: Route, args: AnyArguments): string {
  const path = route.path.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(args.params?.[key])));
  const query = Object.entries(args.query ?? {})
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`)
    .join("&");
  return query === "" ? path : `${path}?${query}`;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

async function call(options: ClientOptions, route: Route, args: AnyArguments, callOptions: CallOptions) {
  const unsafe = route.method !== "GET";
  // Every unsafe request is JSON, also one without a body: the server refuses what a plain form could send.
  const body = unsafe ? JSON.stringify(args.body ?? {}) : undefined;
  const headers = {
    accept: "application/json",
    ...(unsafe ? { "content-type": "application/json" } : {}),
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...(callOptions.password === undefined ? {} : { "x-codehub-password": encodeURIComponent(callOptions.password) }),
    ...options.headers,
  };
  let response: ResponseLike;
  try {
    response = await options.fetch(options.baseUrl + address(route, args), {
      method: route.method,
      headers,
      credentials: "same-origin",
      ...(body === undefined ? {} : { body }),
      ...(callOptions.signal === undefined ? {} : { signal: callOptions.signal as never }),
    });
  } catch (cause) {
    throw new ApiError(0, {}, null, cause);
  }
  const answer = parse(await response.text());
  if (response.ok || route.also?.[response.status] !== undefined) return answer;
  throw new ApiError(
    response.status,
    (answer as ErrorBody | undefined)?.error ?? {},
    response.headers.get("retry-after"),
  );
}

/** One function per route of the table, typed by its schemas: `client.getWorkspace({ params: { id } })`. */
export function createClient(options: ClientOptions): Client {
  const calls = routeIds.map((id) => [
    id,
    (args: AnyArguments = {}, callOptions: CallOptions = {}) => call(options, routes[id], args, callOptions),
  ]);
  const url = (id: RouteId, args: AnyArguments = {}) => options.baseUrl + address(routes[id], args);
  return { ...Object.fromEntries(calls), url } as Client;
}
