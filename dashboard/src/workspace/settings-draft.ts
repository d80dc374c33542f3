import type { UpdateWorkspace, Workspace } from "@codehub/contract";

/** The settings of a workspace as its form shows them: a text that there is none of is empty. */
interface Settings {
  readonly name: string;
  readonly description: string;
  readonly memo: string;
  readonly image_ref: string;
  readonly standby_ttl_seconds: number | null;
  readonly archive_ttl_seconds: number | null;
}

/** What was typed or chosen and is not saved. All else follows the workspace, which may be changed elsewhere meanwhile. */
export type Draft = Partial<Settings>;

export const settingsOf = (workspace: Workspace): Settings => ({
  name: workspace.name,
  description: workspace.description ?? "",
  memo: workspace.memo ?? "",
  image_ref: workspace.image_ref,
  standby_ttl_seconds: workspace.standby_ttl_seconds,
  archive_ttl_seconds: workspace.archive_ttl_seconds,
});

const isText = (value: unknown) => typeof value === "string";
const isTtl = (value: unknown) => value === null || typeof value === "number";
const fits: ReadonlyMap<string, (value: unknown) => boolean> = new Map<keyof Settings, (value: unknown) => boolean>([
  ["name", isText],
  ["description", isText],
  ["memo", isText],
  ["image_ref", isText],
  ["standby_ttl_seconds", isTtl],
  ["archive_ttl_seconds", isTtl],
]);

/** What of something that was kept is a draft. Nothing else goes into the form. */
export function draftFrom(found: unknown): Draft {
  if (typeof found !== "object" || found === null) return {};
  const kept = Object.entries(found).filter(([field, value]) => fits.get(field)?.(value) === true);
  return Object.fromEntries(kept);
}

/** The fields of a draft that differ from these settings. */
export function remaining(draft: Draft, settings: Settings): Draft {
  const fields = Object.keys(draft) as (keyof Settings)[];
  return Object.fromEntries(
    fields.filter((field) => draft[field] !== settings[field]).map((field) => [field, draft[field]]),
  );
}

const orNull = (text: string) => (text.trim() === "" ? null : text);

/** What to ask the server for: a field that nobody touched is not sent, or it would undo a newer change. Null when nothing is. */
export function changesOf(draft: Draft, settings: Settings): UpdateWorkspace | null {
  const { name, description, memo, ...rest } = remaining(draft, settings);
  const changes = {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(description === undefined ? {} : { description: orNull(description.trim()) }),
    ...(memo === undefined ? {} : { memo: orNull(memo) }),
    ...(rest as Pick<UpdateWorkspace, "image_ref" | "standby_ttl_seconds" | "archive_ttl_seconds">),
  };
  return Object.keys(changes).length === 0 ? null : changes;
}
