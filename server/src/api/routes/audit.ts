import { AUDIT_FILE_LINES, type AuditFilter } from "@codehub/contract";
import { presentAudit } from "#api/accounts/present-account.ts";
import type { ApiDeps } from "#api/deps.ts";
import { csvLine } from "#api/http/csv.ts";
import { auditActor, type HandlersOf } from "#api/http/handler.ts";
import { isoTime } from "#core/rows/iso-time.ts";
import type { AuditEventView, EventChoice, Views } from "#ports/views.ts";

type AuditRoutes = "listAudit" | "getAuditFacets" | "downloadAudit";

const AT_ONCE = 1_000;
const COLUMNS = [
  ...["id", "at", "kind", "actor_kind", "actor_id", "actor", "address"],
  ...["workspace_id", "workspace", "summary", "details"],
];

/** What was done, by whom and from where; for administrators. */
export function auditHandlers(deps: ApiDeps): HandlersOf<AuditRoutes> {
  const { views } = deps;
  return {
    listAudit: async ({ query }) => {
      const limit = query.limit ?? 100;
      const skip = ((query.page ?? 1) - 1) * limit;
      const { items, total } = await views.events({ ...choiceOf(query), before: query.cursor ?? null, skip, limit });
      const last = items.length === limit ? (items.at(-1)?.id ?? null) : null;
      return { items: items.map(presentAudit), next_cursor: last, total };
    },

    getAuditFacets: async ({ query }) => {
      const { kinds, actors, workspaces } = await views.eventFacets(choiceOf(query));
      return {
        kinds: [...kinds],
        actors: actors.map(({ actorKind, actorId, actorName, count }) => ({
          actor: { kind: actorKind, user_id: actorId, username: actorName },
          count,
        })),
        workspaces: [...workspaces],
      };
    },

    downloadAudit: async ({ query, principal, request, reply }) => {
      // Before the first line of it leaves: whoever goes away half-way has read that half.
      await deps.audit(auditActor(principal, request), "audit_downloaded", { choice: { ...query } });
      const day = isoTime(deps.clock.nowMs()).slice(0, 10);
      reply
        .header("content-type", "text/csv; charset=utf-8")
        .header("content-disposition", `attachment; filename="codehub-audit-${day}.csv"`);
      await reply.send(ReadableStream.from(fileOf(views, choiceOf(query))));
      return undefined;
    },
  };
}

const momentOf = (time: string | undefined): number | null => (time === undefined ? null : Date.parse(time));

const choiceOf = (query: AuditFilter): EventChoice => ({
  workspaceId: query.workspace_id ?? null,
  actorId: query.user_id ?? null,
  actorKind: query.actor_kind ?? null,
  kind: query.kind ?? null,
  since: momentOf(query.since),
  until: momentOf(query.until),
});

/** Read as fast as it is taken; each part of it goes on below the one before. */
async function* fileOf(views: Pick<Views, "eventLines">, choice: EventChoice): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  let before: string | null = null;
  for (let sent = 0; sent < AUDIT_FILE_LINES; sent += AT_ONCE) {
    const lines: readonly AuditEventView[] = await views.eventLines({ ...choice, before, skip: 0, limit: AT_ONCE });
    if (lines.length > 0) yield lines.map(fileLine).join("");
    before = lines.at(-1)?.id ?? null;
    if (lines.length < AT_ONCE) return;
  }
}

function fileLine(event: AuditEventView): string {
  const { id, at, kind, actor, address, workspace_id, workspace_name, summary, details } = presentAudit(event);
  return csvLine([
    ...[id, at, kind, actor.kind, actor.user_id, actor.username, address],
    ...[workspace_id, workspace_name, summary, JSON.stringify(details)],
  ]);
}
