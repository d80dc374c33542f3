import type { Finding } from "#core/doctor/finding.ts";
import type { Fields } from "#core/rows/meaning.ts";
import type { Ms } from "#core/rows/workspace.ts";

/** Something that a person has to look at. */
export interface Concern {
  /** The same for as long as it is the same thing. */
  readonly key: string;
  /** The words for it are looked up by this. */
  readonly code: string;
  readonly fields: Fields;
  /** The page of the dashboard where it is seen. */
  readonly path: string;
}

/** What is known of the deployment, by whoever looks for concerns. */
export interface AttentionFacts {
  readonly now: Ms;
  /** In ERROR, or on their way for too long. */
  readonly workspaces: readonly WorkspaceFacts[];
  /** How many more there are of those; they are not listed. */
  readonly moreWorkspaces: number;
  readonly parts: readonly { readonly name: string; readonly status: string; readonly detail: string }[];
  readonly findings: readonly Finding[];
  /** Why nothing is removed from the archive store; null where it is. */
  readonly quarantine: string | null;
}

export interface WorkspaceFacts {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly inError: boolean;
  readonly reason: string | null;
  /** Since when it is in ERROR or on its way. */
  readonly since: Ms;
}

/** Large homes take their time; whatever takes longer than this should be looked at. */
export const STUCK_MS = 3_600_000;
const OVERVIEW = "/admin";
const WORKSPACES = "/workspaces/";

export function concernsIn(facts: AttentionFacts): Concern[] {
  const { now, workspaces, moreWorkspaces, parts, findings, quarantine } = facts;
  const more: Concern = {
    key: "more_workspaces",
    code: "more_workspaces",
    fields: { count: moreWorkspaces },
    path: OVERVIEW,
  };
  const paused: Concern = {
    key: "collection_paused",
    code: "collection_paused",
    fields: { said: quarantine },
    path: OVERVIEW,
  };
  return [
    ...workspaces.flatMap((workspace) => ofWorkspace(workspace, now)),
    ...(moreWorkspaces === 0 ? [] : [more]),
    ...parts.filter(({ status }) => status === "down" || status === "degraded").map(ofPart),
    ...findings.filter(isWorthTelling).map(ofFinding),
    ...(quarantine === null ? [] : [paused]),
  ];
}

function ofWorkspace({ id, name, owner, inError, reason, since }: WorkspaceFacts, now: Ms): Concern[] {
  if (!inError && now - since < STUCK_MS) return [];
  const code = inError ? "workspace_error" : "workspace_stuck";
  return [{ key: `${code} ${id}`, code, fields: { name, owner, reason, since }, path: `${WORKSPACES}${id}` }];
}

/** The workspaces that these are about: whether it is over is asked of each of them by name, however many others there are. */
export const workspacesOf = (concerns: readonly Concern[]): string[] =>
  concerns.filter(({ path }) => path.startsWith(WORKSPACES)).map(({ path }) => path.slice(WORKSPACES.length));

const ofPart = ({ name, detail }: AttentionFacts["parts"][number]): Concern => ({
  key: `part_down ${name}`,
  code: `${name}_down`,
  fields: { said: detail },
  path: OVERVIEW,
});

/** A warning is for whoever looks, but for a disk that will soon be full. */
const isWorthTelling = ({ level, check }: Finding): boolean =>
  level === "broken" || (level === "warning" && check === "disk");

/** By its code and not by its numbers: a disk that fills further is the same concern. */
const ofFinding = ({ check, code, fields }: Finding): Concern => ({
  key: `finding ${check} ${code}`,
  code: `finding:${code}`,
  fields,
  path: OVERVIEW,
});
