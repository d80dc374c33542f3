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
  /** Null: nobody could look. */
  readonly findings: readonly Finding[] | null;
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
/** Where on the dashboard's page for administrators each is seen to. */
const HEALTH = "/admin#health";
const DOCTOR = "/admin#doctor";
const COLLECTION = "/admin#collection";
const ALL_WORKSPACES = "/admin/workspaces";
const WORKSPACES = "/workspaces/";

export function concernsIn(facts: AttentionFacts): Concern[] {
  const { now, workspaces, moreWorkspaces, parts, findings, quarantine } = facts;
  const more: Concern = {
    key: "more_workspaces",
    code: "more_workspaces",
    fields: { count: moreWorkspaces },
    path: ALL_WORKSPACES,
  };
  const paused: Concern = {
    key: "collection_paused",
    code: "collection_paused",
    fields: { said: quarantine },
    path: COLLECTION,
  };
  return [
    ...workspaces.flatMap((workspace) => ofWorkspace(workspace, now)),
    ...(moreWorkspaces === 0 ? [] : [more]),
    ...parts.filter(({ status }) => status === "down" || status === "degraded").map(ofPart),
    ...(findings ?? []).filter(isWorthTelling).map(ofFinding),
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

/**
 * Those of before of which nobody knows whether they are still there, because nobody could look. They are not over: a concern ends when
 * somebody has looked and not found it.
 */
export function unseenOf(before: readonly Concern[], { parts, findings }: AttentionFacts): Concern[] {
  const unknownParts = new Set(parts.filter(({ status }) => status === "unknown").map(({ name }) => name));
  const unknownChecks = new Set<string>(
    (findings ?? []).filter(({ level }) => level === "unknown").map(({ check }) => check),
  );
  return before.filter(({ key }) => {
    const [kind, name = ""] = key.split(" ");
    if (kind === "part_down") return unknownParts.has(name);
    return kind === "finding" && (findings === null || unknownChecks.has(name));
  });
}

const ofPart = ({ name, detail }: AttentionFacts["parts"][number]): Concern => ({
  key: `part_down ${name}`,
  code: `${name}_down`,
  fields: { said: detail },
  path: HEALTH,
});

/** A warning is for whoever looks, but for a disk that will soon be full. */
const isWorthTelling = ({ level, check }: Finding): boolean =>
  level === "broken" || (level === "warning" && check === "disk");

/** By its code and not by its numbers: a disk that fills further is the same concern. */
const ofFinding = ({ check, code, fields }: Finding): Concern => ({
  key: `finding ${check} ${code}`,
  code: `finding:${code}`,
  fields,
  path: DOCTOR,
});
