import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Fields } from "#core/rows/meaning.ts";
import type { Notice } from "./plan.ts";

export type JsonNode = Node;

export interface Member {
  readonly key: string;
  readonly keyNode: JsonNode;
  readonly value: JsonNode;
}

export type ReadJson =
  | { readonly ok: true; readonly root: JsonNode; readonly notes: Notes }
  | { readonly ok: false; readonly errors: readonly Notice[] };

/** Collects what is to be said, each with its place in the text. */
export interface Notes {
  readonly add: (code: string, field: string, node: JsonNode, more?: Fields) => void;
  readonly all: () => readonly Notice[];
}

const LONGEST = 65_536;
/** What people write is five deep; the parser would run out of stack at some thousands. */
const DEEPEST = 64;
const MOST_NOTICES = 100;
const MOST_ERRORS = 10;
/** The scanner's numbers for { [ } ] and the end. */
const OPENING: ReadonlySet<number> = new Set([1, 3]);
const CLOSING: ReadonlySet<number> = new Set([2, 4]);
const END = 17;

/** JSON with comments and trailing commas, as an object with places, or why it is none. */
export function readJson(text: string): ReadJson {
  if (text.length > LONGEST || byteLength(text) > LONGEST)
    return refused({ code: "too_large", fields: { max: LONGEST } });
  const place = placesOf(text);
  const deep = firstTooDeep(text);
  if (deep !== null) return refused({ code: "too_deep", fields: place(deep) });
  const errors: ParseError[] = [];
  const root = parseTree(text.replace(/^\ufeff/, " "), errors, { allowTrailingComma: true });
  if (errors.length > 0) {
    const all = errors.slice(0, MOST_ERRORS).map(({ error, offset }) => ({
      code: "syntax",
      fields: { problem: printParseErrorCode(error), ...place(offset) },
    }));
    return refused(...all);
  }
  if (root?.type !== "object") return refused({ code: "no_object", fields: place(root?.offset ?? 0) });
  return { ok: true, root, notes: collect(place) };
}

const refused = (...errors: Notice[]): ReadJson => ({ ok: false, errors });

function byteLength(text: string): number {
  let bytes = 0;
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function firstTooDeep(text: string): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let token: number = scanner.scan(); token !== END; token = scanner.scan()) {
    if (OPENING.has(token)) depth++;
    if (CLOSING.has(token)) depth--;
    if (depth > DEEPEST) return scanner.getTokenOffset();
  }
  return null;
}

type Place = (offset: number) => { readonly line: number; readonly column: number };

const placesOf =
  (text: string): Place =>
  (offset) => {
    const before = text.slice(0, offset).split("\n");
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  };

function collect(place: Place): Notes {
  const found: Notice[] = [];
  return {
    add: (code, field, node, more = {}) => {
      const shown = visible(field).slice(0, 100) || '""';
      if (found.length < MOST_NOTICES) found.push({ code, fields: { field: shown, ...place(node.offset), ...more } });
      else if (found.length === MOST_NOTICES)
        found.push({ code: "more", fields: { field: shown, ...place(node.offset) } });
    },
    all: () => found,
  };
}

/** The members of an object; of two with one name the last holds, as everywhere in JSON, and that is said. */
export function membersOf(node: JsonNode, field: string, notes: Notes): readonly Member[] {
  const members = new Map<string, Member>();
  for (const property of node.children ?? []) {
    const [keyNode, value] = property.children ?? [];
    if (keyNode === undefined || value === undefined) continue;
    const key = String(keyNode.value);
    if (members.has(key)) notes.add("duplicate", within(field, key), keyNode);
    members.set(key, { key, keyNode, value });
  }
  return [...members.values()];
}

export const within = (field: string, key: string): string => (field === "" ? key : `${field}.${key}`);

/** Plain values. A member called __proto__ is a member like any other. */
export function plainValue(node: JsonNode): unknown {
  if (node.type === "array") return (node.children ?? []).map(plainValue);
  if (node.type !== "object") return node.value;
  return Object.fromEntries(
    (node.children ?? []).map(({ children: [key, value] = [] }) => [
      String(key?.value),
      value === undefined ? null : plainValue(value),
    ]),
  );
}

export const visible = (text: string): string => text.replaceAll(/\p{C}/gu, " ").trim();
