import { readMembers, readStrings } from "./fields.ts";
import { type JsonNode, type Notes, plainValue, within } from "./jsonc.ts";

export interface PlannedIde {
  readonly extensions: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly openFiles: readonly string[];
}

export const NO_IDE: PlannedIde = { extensions: [], settings: {}, openFiles: [] };

const EXTENSION = /^[A-Za-z0-9][A-Za-z0-9-]{0,99}\.[A-Za-z0-9][A-Za-z0-9._-]{0,99}(@[0-9A-Za-z.-]{1,50})?$/;
const MOST_EXTENSIONS = 100;
const LONGEST_SETTINGS = 32_768;
const MOST_FILES = 20;
/** By these a folder would run its own programs without anybody being asked. */
const REFUSED_SETTING = /^(task\.allowAutomaticTasks|security\..*)$/i;

export function readExtensions(field: string, node: JsonNode, notes: Notes): readonly string[] {
  const items = readStrings(field, node, notes);
  if (items.length > MOST_EXTENSIONS) notes.add("too_many", field, node, { max: MOST_EXTENSIONS });
  return items.slice(0, MOST_EXTENSIONS).flatMap(({ text, node: item }) => {
    if (EXTENSION.test(text)) return [text];
    notes.add("extension_name", field, item);
    return [];
  });
}

export function readSettings(field: string, node: JsonNode, notes: Notes): Readonly<Record<string, unknown>> {
  const members = readMembers(field, node, notes).filter(({ key, keyNode }) => {
    const isRefused = REFUSED_SETTING.test(key);
    if (isRefused) notes.add("setting_refused", within(field, key), keyNode);
    return !isRefused;
  });
  const settings = Object.fromEntries(members.map(({ key, value }) => [key, plainValue(value)]));
  if (JSON.stringify(settings).length <= LONGEST_SETTINGS) return settings;
  notes.add("too_long", field, node, { max: LONGEST_SETTINGS });
  return {};
}

/** `vscode` is read, and of `codespaces` the files to open; what is for other programs is named. */
export function readCustomizations(node: JsonNode, notes: Notes): PlannedIde {
  let ide = NO_IDE;
  for (const { key: tool, keyNode: toolNode, value: part } of readMembers("customizations", node, notes)) {
    const field = within("customizations", tool);
    if (tool !== "vscode" && tool !== "codespaces") {
      notes.add("unsupported", field, toolNode);
      continue;
    }
    for (const { key, keyNode, value } of readMembers(field, part, notes)) {
      const at = within(field, key);
      if (tool === "vscode" && key === "extensions") ide = { ...ide, extensions: readExtensions(at, value, notes) };
      else if (tool === "vscode" && key === "settings") ide = { ...ide, settings: readSettings(at, value, notes) };
      else if (tool === "codespaces" && key === "openFiles") ide = { ...ide, openFiles: readFiles(at, value, notes) };
      else notes.add("unsupported", at, keyNode);
    }
  }
  return ide;
}

function readFiles(field: string, node: JsonNode, notes: Notes): readonly string[] {
  return readStrings(field, node, notes)
    .slice(0, MOST_FILES)
    .flatMap(({ text, node: item }) => {
      const steps = text.split("/").filter((step) => step !== "" && step !== ".");
      const isInside = !text.startsWith("/") && !steps.includes("..") && steps.length > 0 && !/\p{C}/u.test(text);
      if (!isInside) notes.add("path_outside", field, item);
      return isInside ? [steps.join("/")] : [];
    });
}
