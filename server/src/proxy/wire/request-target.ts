import { isName } from "#proxy/door/origins.ts";

/**
 * What the client asks for, read once and never decoded: whoever authorises and whoever routes look at the same bytes.
 * Anything that two readers could understand differently is refused instead of repaired.
 */

/** Origin-form only: absolute-form, authority-form and `*` name a target that is not ours to choose. */
export const isPlainTarget = (target: string): boolean => /^\/[\x21\x22\x24-\x5b\x5d-\x7e]*$/.test(target);

export function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query < 0 ? target : target.slice(0, query);
}

export function queryOf(target: string): URLSearchParams {
  const query = target.indexOf("?");
  return new URLSearchParams(query < 0 ? "" : target.slice(query + 1));
}

export interface DoorTarget {
  /** The workspace's id, or an address in words that is or was its own. */
  readonly name: string;
  /** What follows `/w/{name}`: "" or a path. */
  readonly rest: string;
  readonly query: URLSearchParams;
}

/** `/w/{name}/…` on the dashboard's origin; null for any other path, also one that would only mean the same. */
export function parseDoor(target: string): DoorTarget | null {
  if (!isPlainTarget(target)) return null;
  const path = pathOf(target);
  if (!path.startsWith("/w/")) return null;
  const end = path.indexOf("/", 3);
  const name = end < 0 ? path.slice(3) : path.slice(3, end);
  return isName(name) ? { name, rest: end < 0 ? "" : path.slice(end), query: queryOf(target) } : null;
}

/** A path that every parser reads the same way, for the one mode in which the path decides whose bytes are served. */
export const isCanonicalPath = (path: string): boolean =>
  path.startsWith("/") && !/\/\/|\\|;|%2e|%2f|%5c|%00|\/\.{1,2}(?:\/|$)/i.test(path);

/**
 * Where to go after a hand-over: a path of the same origin, or "/". It is checked both as text and as a browser
 * resolves it, because `//host`, `/\host` and tabs inside have all been open redirects.
 */
export function safeNext(next: string | null): string {
  if (next === null || next.length > 2048 || !isPlainTarget(next) || next.startsWith("//")) return "/";
  const here = "http://origin.invalid";
  const resolved = URL.parse(next, here);
  if (resolved === null || resolved.origin !== here || pathOf(next).startsWith("/.codehub/")) return "/";
  return next;
}
