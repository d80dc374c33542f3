import type { Ms } from "#core/rows/workspace.ts";
import { storableText } from "./statement.ts";

/** JSON text for a jsonb column. PostgreSQL refuses escaped NULs and lone surrogates, which texts of others may hold. */
export function toJson(value: object): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === "string" ? storableText(item) : item));
}

/** Inside JSON a time is ISO 8601 in UTC: readable for people, and it sorts by time. */
export const fromIsoTime = (text: string): Ms => Date.parse(text);

export const toDate = (at: Ms | null): Date | null => (at === null ? null : new Date(at));
