import { maySet } from "#proxy/door/cookies.ts";
import { leadsOffLimits, type RedirectRule } from "#proxy/site/redirect-rule.ts";
import { trimBlanks } from "./blanks.ts";

/** Where a response is going, as far as its headers are concerned. */
export interface ResponseRules {
  /** Null where a workspace shares the dashboard's origin, and nothing could be kept apart. */
  readonly redirects: RedirectRule | null;
  /** Set where a workspace is served below a path of the dashboard's origin. */
  readonly prefix: string;
  /** Whether a service worker may reach above its own folder, where it could see hand-overs go by. */
  readonly wideWorkers: boolean;
  /** Search engines are to leave it out, whatever the program says. */
  readonly unlisted?: true;
}

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "transfer-encoding",
  "upgrade",
  "te",
]);

/** These outlive the response: they would bind the browser to something for longer than the workspace may decide. */
const LASTING: ReadonlySet<string> = new Set([
  "clear-site-data",
  "alt-svc",
  "nel",
  "report-to",
  "reporting-endpoints",
  "strict-transport-security",
]);

/** What leads somewhere else. */
const leadsElsewhere = (lower: string): lower is "location" | "refresh" | "content-location" =>
  lower === "location" || lower === "refresh" || lower === "content-location";

const WORKERS = "service-worker-allowed";

/** Whether a name, in small letters, is dropped, checked or rewritten below, and so may not come as a trailer. */
export const onlyInHead = (lower: string): boolean =>
  HOP_BY_HOP.has(lower) || LASTING.has(lower) || leadsElsewhere(lower) || lower === "set-cookie" || lower === WORKERS;

export interface ResponseHead {
  readonly headers: string[];
  /** What Connection named, which is not passed on as a trailer either. */
  readonly named: ReadonlySet<string> | null;
}

/** The headers as the browser gets them, or null when the response must not get there at all. */
export function responseHead(status: number, raw: readonly string[], rules: ResponseRules): ResponseHead | null {
  const out: string[] = [];
  let named: Set<string> | null = null;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? "";
    const value = raw[i + 1] ?? "";
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower)) {
      if (lower === "connection" && value !== "keep-alive" && value !== "close") {
        named ??= new Set();
        for (const item of value.split(",")) named.add(trimBlanks(item).toLowerCase());
      }
      continue;
    }
    if (LASTING.has(lower)) continue;
    // Behind a 204 and a 1xx there is nothing it could be the length of, and a client that believed it would take the next
    // answer for a body. A 304 may have one: no client looks for a body behind it, and it is told of what that has already.
    if (lower === "content-length" && (status < 200 || status === 204)) continue;
    if (lower === "set-cookie") {
      const kept = cookieFor(value, rules);
      if (kept !== null) out.push(name, kept);
      continue;
    }
    if (leadsElsewhere(lower)) {
      if (rules.redirects !== null && leadsOffLimits(lower, value, rules.redirects)) return null;
      out.push(name, lower === "location" ? below(value, rules) : value);
      continue;
    }
    if (lower === WORKERS && !rules.wideWorkers) continue;
    out.push(name, value);
  }
  const headers = named === null ? out : withoutNamed(out, named);
  if (rules.unlisted === true) headers.push("X-Robots-Tag", "noindex");
  return { headers, named };
}

/** Without the announcement of trailers where none can follow: Node would throw at it. */
export function withoutAnnouncement(headers: string[], trailersMayFollow: boolean): string[] {
  if (valuesOf(headers, "trailer").length === 0) return headers;
  if (trailersMayFollow && valuesOf(headers, "content-length").length === 0) return headers;
  return withoutNamed(headers, new Set(["trailer"]));
}

/** Every value of a header, in small letters. */
export function valuesOf(headers: readonly string[], lower: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i]?.length !== lower.length || headers[i]?.toLowerCase() !== lower) continue;
    values.push((headers[i + 1] ?? "").toLowerCase());
  }
  return values;
}

function withoutNamed(headers: readonly string[], named: ReadonlySet<string>): string[] {
  const out: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? "";
    const lower = name.toLowerCase();
    if (!named.has(lower) || lower === "content-length") out.push(name, headers[i + 1] ?? "");
  }
  return out;
}

/** In single-origin mode a redirect to `/x` means `/x` of the workspace. */
function below(location: string, rules: ResponseRules): string {
  if (rules.prefix === "" || !location.startsWith("/") || location.startsWith("//")) return location;
  return location.startsWith(`${rules.prefix}/`) ? location : rules.prefix + location;
}

function cookieFor(value: string, rules: ResponseRules): string | null {
  if (!maySet(value)) return null;
  if (rules.prefix === "") return value;
  // Below a path, a cookie may only be one of that path: everything else would reach the dashboard or a neighbour.
  const parts = value.split(";").filter((part) => !/^\s*path\s*=/i.test(part));
  return /^\s*__host-/i.test(value) ? null : [...parts, ` Path=${rules.prefix}/`].join(";");
}
