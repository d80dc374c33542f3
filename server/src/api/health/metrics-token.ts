import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { hashSecret } from "#api/accounts/secrets.ts";
import { ApiError } from "#api/http/api-error.ts";

/** Whether a scraper sent the configured token. Needs no database, so that metrics tell also when that is away. */
export function sentMetricsToken({ authorization }: IncomingHttpHeaders, token: string | null): boolean {
  const given = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1];
  // Hashes have one length, and comparing them tells nothing about how much of the token was right.
  return token !== null && given !== undefined && timingSafeEqual(hashSecret(given), hashSecret(token));
}

export const metricsRefused = (): ApiError =>
  new ApiError("METRICS_TOKEN_REQUIRED", undefined, { "www-authenticate": "Bearer" });
