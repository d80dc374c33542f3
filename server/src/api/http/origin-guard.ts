import type { IncomingHttpHeaders } from "node:http";
import { ApiError } from "./api-error.ts";

/** Hosts are compared whole after parsing: prefixes, suffixes and patterns have let strangers in elsewhere. */
export function hostMatches(header: string | undefined, base: URL): boolean {
  if (header === undefined || !/^[A-Za-z0-9.:[\]-]+$/.test(header)) return false;
  const url = URL.parse(`${base.protocol}//${header}`);
  return url !== null && url.host === base.host && url.pathname === "/" && url.username === "";
}

const simpleTypes = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];

const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

const rejected = (problem: string): ApiError => new ApiError("CSRF_REJECTED", { problem });

/**
 * A browser attaches the session cookie whoever caused the request. These two headers say who did, and no page can
 * forge them. A request with an API token carries no cookie that counts, so only a foreign Origin is held against it.
 */
export function guardUnsafe(headers: IncomingHttpHeaders, origin: string, withToken: boolean): void {
  const given = headers.origin;
  if (given !== undefined && given !== origin) throw rejected("its Origin is another one");
  if (!withToken && given === undefined) throw rejected("it has no Origin");
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") throw rejected("another site caused it");
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? null;
  if (type === "application/json" || (withToken && type === null && !hasBody(headers))) return;
  if (type === null || simpleTypes.includes(type)) throw rejected("a form could have sent it; send application/json");
  throw new ApiError("UNSUPPORTED_MEDIA_TYPE");
}

/** Reading is refused too when another site asks: `none` is a person typing the address. */
export function guardRead(headers: IncomingHttpHeaders, origin: string): void {
  if (headers.origin !== undefined && headers.origin !== origin) throw rejected("its Origin is another one");
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") throw rejected("another site caused it");
}
