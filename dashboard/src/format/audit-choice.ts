import { type AuditFilter, actorKinds } from "@codehub/contract";

/** What the audit log is narrowed down to, as the address bar has it. Days are the reader's own. */
export interface AuditChoice {
  /** A person's id, or a part of the system. */
  readonly who: string;
  readonly kind: string;
  readonly workspace: string;
  readonly from: string;
  readonly to: string;
  readonly page: number;
}

const fields = ["who", "kind", "workspace", "from", "to"] as const;
const isDay = (day: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(`${day}T00:00`));
const isName = (name: string): boolean => /^[a-z_]{1,60}$/.test(name);
const isId = (id: string): boolean => /^[0-9a-f-]{36}$/.test(id);
const fits: Readonly<Record<(typeof fields)[number], (value: string) => boolean>> = {
  who: (who) => isId(who) || isName(who),
  kind: isName,
  workspace: isId,
  from: isDay,
  to: isDay,
};

/** What does not fit was typed into the address by hand, and is left out. */
export function auditChoiceOf(search: string): AuditChoice {
  const given = new URLSearchParams(search);
  const field = (name: (typeof fields)[number]): string => {
    const value = given.get(name) ?? "";
    return fits[name](value) ? value : "";
  };
  const page = Math.floor(Number(given.get("page") ?? "1"));
  return {
    ...{ who: field("who"), kind: field("kind"), workspace: field("workspace"), from: field("from"), to: field("to") },
    page: page >= 1 && page <= 100_000 ? page : 1,
  };
}

export function auditSearch(choice: AuditChoice): string {
  const given = new URLSearchParams(fields.flatMap((name) => (choice[name] === "" ? [] : [[name, choice[name]]])));
  if (choice.page > 1) given.set("page", String(choice.page));
  const text = given.toString();
  return text === "" ? "" : `?${text}`;
}

/** The same as the server is asked. The last day is meant whole. */
export function auditFilterOf({ who, kind, workspace, from, to }: AuditChoice): AuditFilter {
  const part = actorKinds.find((name) => name === who);
  return {
    ...(part === undefined ? {} : { actor_kind: part }),
    ...(part === undefined && who !== "" ? { user_id: who } : {}),
    ...(kind === "" ? {} : { kind }),
    ...(workspace === "" ? {} : { workspace_id: workspace }),
    ...(from === "" ? {} : { since: midnight(from, 0) }),
    ...(to === "" ? {} : { until: midnight(to, 1) }),
  };
}

function midnight(day: string, later: number): string {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + later);
  return date.toISOString();
}
