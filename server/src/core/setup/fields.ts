import { type JsonNode, membersOf, type Notes, visible, within } from "./jsonc.ts";
import type { PlannedPort, PlannedSecret, PlannedSize, PlannedVariable } from "./plan.ts";
import { isForShells, isReserved, isVariableName, substitute, type Variables } from "./variables.ts";

const MOST_VARIABLES = 100;
const LONGEST_VALUE = 32_768;
const MOST_PORTS = 50;
const MOST_SECRETS = 50;

/** The strings of a list; whatever else is in it is said. */
export function readStrings(field: string, node: JsonNode, notes: Notes): readonly { text: string; node: JsonNode }[] {
  if (node.type !== "array") {
    notes.add("not_list", field, node);
    return [];
  }
  return (node.children ?? []).flatMap((item, index) => {
    if (item.type === "string") return [{ text: String(item.value), node: item }];
    notes.add("not_text", `${field}[${index}]`, item);
    return [];
  });
}

export function readText(field: string, node: JsonNode, notes: Notes, max = 200): string | null {
  if (node.type === "string") return visible(String(node.value)).slice(0, max);
  notes.add("not_text", field, node);
  return null;
}

/** The object's members, or none where it is no object. */
export function readMembers(field: string, node: JsonNode, notes: Notes): ReturnType<typeof membersOf> {
  if (node.type === "object") return membersOf(node, field, notes);
  notes.add("not_object", field, node);
  return [];
}

/** Of two lists of variables, `remoteEnv` may take one away. */
export function readEnvironment(
  field: string,
  node: JsonNode,
  notes: Notes,
  variables: Variables,
): readonly PlannedVariable[] {
  const members = readMembers(field, node, notes);
  if (members.length > MOST_VARIABLES) notes.add("too_many", field, node, { max: MOST_VARIABLES });
  return members.slice(0, MOST_VARIABLES).flatMap(({ key, keyNode, value }): PlannedVariable[] => {
    const at = within(field, key);
    const isRemoval = value.type === "null" && field === "remoteEnv";
    if (!isVariableName(key)) notes.add("variable_name", at, keyNode);
    else if (isReserved(key)) notes.add("variable_reserved", at, keyNode);
    else if (value.type !== "string" && !isRemoval) notes.add("not_text", at, value);
    else if (String(value.value).length > LONGEST_VALUE || String(value.value).includes("\0"))
      notes.add("too_long", at, value, { max: LONGEST_VALUE });
    else {
      const parts = isRemoval ? null : substitute(String(value.value), variables);
      return [{ name: key, value: parts, isForShells: isForShells(key) }];
    }
    return [];
  });
}

const WHEN_FOUND: Readonly<Record<string, PlannedPort["whenFound"]>> = {
  notify: "notify",
  openBrowser: "open",
  openBrowserOnce: "open",
  openPreview: "open",
  silent: "silent",
  ignore: "ignore",
};

const portOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535 ? value : null;

/** `3000` or `"localhost:3000"`; what another host listens on is not the workspace's. */
export function readPortNumbers(field: string, node: JsonNode, notes: Notes): readonly number[] {
  const items = node.type === "array" ? (node.children ?? []) : field === "appPort" ? [node] : null;
  if (items === null) {
    notes.add("not_list", field, node);
    return [];
  }
  if (items.length > MOST_PORTS) notes.add("too_many", field, node, { max: MOST_PORTS });
  return items.slice(0, MOST_PORTS).flatMap((item, index) => {
    const [, name = "localhost", digits] = /^(?:([^:]+):)?([0-9]{1,5})$/.exec(String(item.value ?? "")) ?? [];
    const port = portOf(item.type === "string" ? Number(digits) : item.value);
    const isHere = item.type !== "string" || ["localhost", "127.0.0.1", "0.0.0.0"].includes(name);
    if (port === null) notes.add("not_port", `${field}[${index}]`, item);
    else if (!isHere) notes.add("port_elsewhere", `${field}[${index}]`, item);
    return port === null || !isHere ? [] : [port];
  });
}

export function readPortAttributes(node: JsonNode, notes: Notes): ReadonlyMap<number, Omit<PlannedPort, "port">> {
  const ports = new Map<number, Omit<PlannedPort, "port">>();
  for (const { key, keyNode, value } of readMembers("portsAttributes", node, notes)) {
    const field = within("portsAttributes", key);
    const port = /^[0-9]{1,5}$/.test(key) ? portOf(Number(key)) : null;
    if (port === null) notes.add("port_pattern", field, keyNode);
    else ports.set(port, readPortAttribute(field, value, notes));
  }
  return ports;
}

function readPortAttribute(field: string, node: JsonNode, notes: Notes): Omit<PlannedPort, "port"> {
  let label: string | null = null;
  let whenFound: PlannedPort["whenFound"] = null;
  for (const { key, keyNode, value } of readMembers(field, node, notes)) {
    const at = within(field, key);
    if (key === "label") label = readText(at, value, notes, 100);
    else if (key === "onAutoForward") {
      const word = String(value.value);
      if (Object.hasOwn(WHEN_FOUND, word)) whenFound = WHEN_FOUND[word] ?? null;
      else notes.add("unknown_value", at, value);
    } else notes.add("unsupported", at, keyNode);
  }
  return { label, whenFound };
}

export interface LargestSize {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly storageBytes: number;
}

const UNITS: Readonly<Record<string, number>> = { kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3, tb: 1024 ** 4 };

function bytesOf({ type, value }: JsonNode): number | null {
  const [, digits, unit = ""] = /^([0-9]{1,12}(?:\.[0-9]{1,3})?) ?([kmgt]b)$/i.exec(String(value ?? "")) ?? [];
  return type === "string" && digits !== undefined
    ? Math.floor(Number(digits) * (UNITS[unit.toLowerCase()] ?? 1))
    : null;
}

const cpusOf = ({ value }: JsonNode): number | null =>
  typeof value === "number" && value >= 1 && value <= 4096 ? value : null;

/** What the project needs, as far as the operator lets anybody have it. */
export function readSize(node: JsonNode, largest: LargestSize, notes: Notes): PlannedSize {
  const size: { -readonly [Name in keyof PlannedSize]: PlannedSize[Name] } = {
    cpus: null,
    memoryBytes: null,
    storageBytes: null,
  };
  const bounded = (field: string, at: JsonNode, wanted: number | null, max: number): number | null => {
    if (wanted === null) notes.add("not_size", field, at);
    else if (wanted > max) notes.add("size_bounded", field, at, { wanted: visible(String(at.value)), max });
    return wanted === null ? null : Math.min(wanted, max);
  };
  for (const { key, keyNode, value } of readMembers("hostRequirements", node, notes)) {
    const field = within("hostRequirements", key);
    if (key === "cpus") size.cpus = bounded(field, value, cpusOf(value), largest.cpus);
    else if (key === "memory") size.memoryBytes = bounded(field, value, bytesOf(value), largest.memoryBytes);
    else if (key === "storage") size.storageBytes = bounded(field, value, bytesOf(value), largest.storageBytes);
    else notes.add("unsupported", field, keyNode);
  }
  return size;
}

/** Names only: a value in a repository would be no secret. */
export function readSecrets(node: JsonNode, notes: Notes): readonly PlannedSecret[] {
  const members = readMembers("secrets", node, notes);
  if (members.length > MOST_SECRETS) notes.add("too_many", "secrets", node, { max: MOST_SECRETS });
  return members.slice(0, MOST_SECRETS).flatMap(({ key, keyNode, value }): PlannedSecret[] => {
    const field = within("secrets", key);
    if (!isVariableName(key)) notes.add("variable_name", field, keyNode);
    else if (isReserved(key)) notes.add("variable_reserved", field, keyNode);
    else return [{ name: key, description: describe(field, value, notes) }];
    return [];
  });
}

function describe(field: string, node: JsonNode, notes: Notes): string | null {
  let description: string | null = null;
  for (const { key, keyNode, value } of readMembers(field, node, notes)) {
    if (key === "description") description = readText(within(field, key), value, notes);
    else if (key !== "documentationUrl") notes.add("unsupported", within(field, key), keyNode);
  }
  return description;
}
