import { API_ROLE } from "#adapters/postgres/roles.ts";
import { statement } from "#adapters/postgres/statement.ts";
import type { EventView } from "#ports/views.ts";
import type { ChoiceParams } from "./count-events.ts";

type Row = {
  facet: "kind" | "actor" | "workspace";
  kind: string | null;
  actorKind: EventView["actorKind"] | null;
  id: string | null;
  name: string | null;
  count: number;
};

/**
 * What can be chosen and how often it is there, counted in the newest lines: a facet is counted as if nothing of its own
 * sort were chosen, so what fits all but one of the choices is enough.
 */
export const facetEvents = statement<ChoiceParams & { scanned: number; most: number }, Row>("facet-events", API_ROLE)`
WITH lines AS MATERIALIZED (
  SELECT e.kind, e.actor_kind, e.actor_id, e.workspace_id,
    (${"kind"}::text IS NULL OR e.kind = ${"kind"}) AS of_kind,
    (${"actorId"}::uuid IS NULL OR e.actor_id IS NOT DISTINCT FROM ${"actorId"})
      AND (${"actorKind"}::text IS NULL OR e.actor_kind = ${"actorKind"}) AS of_actor,
    (${"workspaceId"}::uuid IS NULL OR e.workspace_id IS NOT DISTINCT FROM ${"workspaceId"}) AS of_workspace
  FROM workspace_events e
  WHERE (${"since"}::timestamptz IS NULL OR e.at >= ${"since"})
    AND (${"until"}::timestamptz IS NULL OR e.at < ${"until"})
  ORDER BY e.id DESC LIMIT ${"scanned"}
), kinds AS (
  SELECT kind, count(*) AS count FROM lines WHERE of_actor AND of_workspace
  GROUP BY kind ORDER BY count DESC, kind LIMIT ${"most"}
), actors AS (
  SELECT CASE WHEN actor_id IS NULL THEN actor_kind END AS part, actor_id, count(*) AS count
  FROM lines WHERE of_kind AND of_workspace
  GROUP BY part, actor_id ORDER BY count DESC, part, actor_id LIMIT ${"most"}
), places AS (
  SELECT workspace_id, count(*) AS count FROM lines WHERE of_kind AND of_actor AND workspace_id IS NOT NULL
  GROUP BY workspace_id ORDER BY count DESC, workspace_id LIMIT ${"most"}
)
SELECT 'kind' AS facet, kind, NULL AS "actorKind", NULL::uuid AS id, NULL AS name, count FROM kinds
UNION ALL
SELECT 'actor', NULL, coalesce(actors.part, 'user'), actors.actor_id, u.username, count
FROM actors LEFT JOIN users u ON u.id = actors.actor_id
UNION ALL
SELECT 'workspace', NULL, NULL, places.workspace_id, w.name, count
FROM places LEFT JOIN workspaces w ON w.id = places.workspace_id
`;
