import type { IncomingHttpHeaders } from "node:http";
import type { Endpoint, Workspace } from "#core/rows/workspace.ts";
import { isEmptied } from "#core/rules/phase.ts";
import { requestPending } from "#core/rules/plan.ts";
import { setupDue } from "#core/rules/setup.ts";

/** Routable: the row names the container's instance and nothing is about to change it. Null otherwise. */
export const routableEndpoint = (row: Workspace): Endpoint | null =>
  row.operation === "NONE" && row.deletedAt === null && row.phase === "RUNNING" ? row.endpoint : null;

/** In the door's query: the visitor wants to see how far it is, and not to be sent on before it runs. */
export const WAIT = "wait";

/** What somebody who comes to a workspace's door finds. */
export type VisitState = "gone" | "resetting" | "error" | "ready" | "waking" | "asleep";

export function visitState(row: Workspace): VisitState {
  if (row.deletedAt !== null) return "gone";
  if (row.desiredState === "PENDING") return isEmptied(row) ? "asleep" : "resetting";
  // A recovery that was asked for is on its way; until it is answered, the error is no longer the news.
  if (row.phase === "ERROR") return requestPending(row) ? "waking" : "error";
  if (routableEndpoint(row) !== null) return "ready";
  return row.desiredState === "RUNNING" ? "waking" : "asleep";
}

/** Whether nothing but the start of its container stands between this row and an open IDE, and that is not delayed. */
export const startsNow = (row: Workspace, now: number): boolean =>
  visitState(row) === "waking" &&
  row.phase === "STANDBY" &&
  (row.operation === "NONE" || row.operation === "STARTING") &&
  !setupDue(row) &&
  (row.nextAttemptAt === null || row.nextAttemptAt <= now);

/** Whether its repository is what an open IDE waits for. */
export const getsRepository = (row: Workspace): boolean =>
  visitState(row) === "waking" && row.source !== null && (row.operation === "PREPARING" || setupDue(row));

/** Whether a wake may raise what this row requests for. */
export const canWake = (row: Workspace): boolean =>
  row.deletedAt === null && (row.desiredState === "STANDBY" || row.desiredState === "ARCHIVED" || isEmptied(row));

/** A page load in a tab of its own, as opposed to what a page fetches. Clients without Sec-Fetch headers are asked by Accept. */
export function isNavigation(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  if (method !== "GET" || headers.upgrade !== undefined) return false;
  const mode = headers["sec-fetch-mode"];
  if (mode === undefined) return headers.accept?.includes("text/html") ?? false;
  const dest = headers["sec-fetch-dest"];
  return mode === "navigate" && (dest === "document" || dest === undefined);
}

/**
 * Only a person wakes a workspace. Browsers say so with Sec-Fetch-User; a client that sends no Sec-Fetch headers at all
 * is somebody's tool. Pages can navigate too, and browsers fetch ahead: neither counts.
 */
export function startedByPerson(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  if (method !== "GET") return false;
  if (headers["sec-purpose"] !== undefined || headers["purpose"] === "prefetch") return false;
  const site = headers["sec-fetch-site"];
  const mode = headers["sec-fetch-mode"];
  const dest = headers["sec-fetch-dest"];
  const user = headers["sec-fetch-user"];
  if (site === undefined && mode === undefined && dest === undefined && user === undefined) return true;
  return user === "?1" && isNavigation(method, headers);
}

/**
 * Another page's request must not ride on the session. Unsafe methods and upgrades need the own Origin; what a page of
 * another origin fetches or frames is refused, also from the same site, because there Lax cookies are sent along.
 */
export function foreign(method: string | undefined, headers: IncomingHttpHeaders, origin: string): string | null {
  const unsafe = method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
  if ((unsafe || headers.upgrade !== undefined) && headers.origin !== origin)
    return "its Origin is not this workspace's";
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return null;
  return isNavigation(method, headers) ? null : "a page of another origin caused it";
}
