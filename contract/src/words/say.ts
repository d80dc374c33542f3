import { catalogue, type Text } from "./catalogue.ts";
import { duration, formOf, span } from "./span.ts";
import type { Voice } from "./voice.ts";

/** What a sentence speaks of, as it travels beside the code. */
export type Fields = Readonly<Record<string, unknown>>;

/** What the catalogue has under a key; null where that comes from a version that had others. */
export const lookUp = <T>(words: Readonly<Record<string, T>>, key: unknown): T | null =>
  typeof key === "string" && Object.hasOwn(words, key) ? (words[key] as T) : null;

function moment(value: unknown): number | null {
  const at = typeof value === "string" ? Date.parse(value) : value;
  return typeof at === "number" && Number.isFinite(at) ? at : null;
}
const conditionWord = (key: unknown): string => lookUp(catalogue.conditions, key) ?? String(key);
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
  phase: (value) => lookUp(catalogue.phases, value)?.word ?? null,
  state: (value) => lookUp(catalogue.states, value),
  doing: (value) => lookUp(catalogue.operations, value)?.doing ?? null,
  noun: (value) => lookUp(catalogue.operations, value)?.noun ?? null,
  error: (value) => lookUp(catalogue.errors, value)?.title ?? null,
  ended: (value) => lookUp(catalogue.ended, value),
  request: (value) => lookUp(catalogue.requests, value),
  cache: (value) => lookUp(catalogue.caches, value)?.name ?? null,
  condition: (value) => conditionWord(value),
  conditions: (value) => (Array.isArray(value) ? value.map(conditionWord).join(", ") : null),
};

/** `{name}` or `{name:manner}`; a manner that ends with `_inside` is that one in the middle of a sentence. */
const PLACEHOLDER = /\{(\w+)(?::([a-z]+)(_inside)?)?\}/g;

function fill(template: string, fields: Fields, voice: Voice): string | null {
  let whole = true;
  const text = template.replaceAll(PLACEHOLDER, (_, name: string, manner = "plain", inside = "") => {
    const said = manners[manner]?.(fields[name], voice) ?? null;
    if (said === null) whole = false;
    return (inside === "" ? said : said?.toLowerCase()) ?? "";
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

/** A sentence of ours, then what a program or another system said about it, as it said it. */
export function withDetail(sentence: string | null, detail: string): string {
  if (sentence === null || sentence === "") return detail;
  if (detail === "" || detail === sentence) return sentence;
  return detail.includes("\n") || sentence.endsWith(":") ? `${sentence}\n${detail}` : `${sentence} ${detail}`;
}

/** What went wrong: `fields.failure` names the sentence. Without one, what was written down is shown as it is. */
export const failureText = (fields: Fields, detail: string, voice: Voice): string =>
  withDetail(say(lookUp(catalogue.failures, fields["failure"]), fields, voice), detail);
