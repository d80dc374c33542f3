import { catalogue, type Text } from "./catalogue.ts";
import { duration, formOf, span } from "./span.ts";
import type { Voice } from "./voice.ts";

/** What a sentence speaks of, as it travels beside the code. */
export type Fields = Readonly<Record<string, unknown>>;

const own = <T>(words: Readonly<Record<string, T>>, key: unknown): T | null =>
  typeof key === "string" && Object.hasOwn(words, key) ? (words[key] as T) : null;

function moment(value: unknown): number | null {
  const at = typeof value === "string" ? Date.parse(value) : value;
  return typeof at === "number" && Number.isFinite(at) ? at : null;
}
const inside = (words: string | null): string | null => words?.toLowerCase() ?? null;
const conditionWord = (key: unknown): string => own(catalogue.conditions, key) ?? String(key);
const amount = (value: unknown, words: (value: number) => string): string | null =>
  typeof value === "number" ? words(value) : null;

/** How a field is said; null where it is not what this says. */
const manners: Readonly<Record<string, (value: unknown, voice: Voice) => string | null>> = {
  plain: (value) =>
    typeof value === "number" ? String(value) : typeof value === "string" && value !== "" ? value : null,
  time: (value, voice) => amount(moment(value), voice.time),
  upcoming: (value, voice) => amount(moment(value), voice.upcoming),
  span: (value) => amount(value, span),
  took: (value) => amount(value, (ms) => duration(ms / 1000)),
  phase: (value) => own(catalogue.phases, value)?.word ?? null,
  phase_inside: (value) => inside(own(catalogue.phases, value)?.word ?? null),
  state: (value) => own(catalogue.states, value),
  doing: (value) => own(catalogue.operations, value)?.doing ?? null,
  noun: (value) => own(catalogue.operations, value)?.noun ?? null,
  noun_inside: (value) => inside(own(catalogue.operations, value)?.noun ?? null),
  error: (value) => own(catalogue.errors, value)?.title ?? null,
  request: (value) => own(catalogue.requests, value),
  condition: (value) => conditionWord(value),
  conditions: (value) => (Array.isArray(value) ? value.map(conditionWord).join(", ") : null),
};

function fill(template: string, fields: Fields, voice: Voice): string | null {
  let whole = true;
  const text = template.replaceAll(/\{(\w+)(?::(\w+))?\}/g, (_, name: string, manner = "plain") => {
    const said = manners[manner]?.(fields[name], voice) ?? null;
    if (said === null) whole = false;
    return said ?? "";
  });
  return whole ? text : null;
}

/** The sentence with its fields filled in; null where one it needs is missing, as in rows of an older version. */
export function say(text: Text | null | undefined, fields: Fields, voice: Voice): string | null {
  if (text === null || text === undefined) return null;
  if (typeof text === "string") return fill(text, fields, voice);
  if ("one" in text) {
    const count = fields["count"];
    return typeof count === "number" ? fill(formOf(count, text), fields, voice) : null;
  }
  for (const template of text) {
    const said = fill(template, fields, voice);
    if (said !== null) return said;
  }
  return null;
}

/** The text of the first of these keys that the catalogue has. */
export function textOf(texts: Readonly<Record<string, Text>>, ...keys: readonly string[]): Text | null {
  for (const key of keys) {
    const found = own(texts, key);
    if (found !== null) return found;
  }
  return null;
}
