import type { UpdateWorkspace } from "@codehub/contract";
import { invalidField } from "#api/http/api-error.ts";
import type { Edit } from "#core/requests/requests.ts";
import type { Ms, RequestColumns } from "#core/rows/workspace.ts";

const MAX_KEEP_AWAKE_MS = 30 * 24 * 3_600_000;

/** What the body of a PATCH asks for. */
export const editOf = (body: UpdateWorkspace, now: Ms): Edit => ({
  level: body.desired_state ?? null,
  columns: columnsOf(body, now),
  fields: Object.keys(body).filter((field) => field !== "desired_state"),
});

function columnsOf(body: UpdateWorkspace, now: Ms): Partial<RequestColumns> {
  const until = body.keep_awake_until;
  const keepAwakeUntil = until === undefined || until === null ? until : Date.parse(until);
  if (typeof keepAwakeUntil === "number" && !(keepAwakeUntil <= now + MAX_KEEP_AWAKE_MS))
    throw invalidField("keep_awake_until", "must be a time within the next 30 days");
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.memo === undefined ? {} : { memo: body.memo }),
    ...(body.image_ref === undefined ? {} : { imageRef: body.image_ref }),
    ...(body.standby_ttl_seconds === undefined ? {} : { standbyTtlSeconds: body.standby_ttl_seconds }),
    ...(body.archive_ttl_seconds === undefined ? {} : { archiveTtlSeconds: body.archive_ttl_seconds }),
    ...(keepAwakeUntil === undefined ? {} : { keepAwakeUntil }),
  };
}
