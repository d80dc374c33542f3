import { isoTime } from "./iso-time.ts";

/** What a code speaks of: names, moments and numbers. The words for it are somebody else's business. */
export type Fields = Readonly<Record<string, string | number | readonly string[] | null>>;

/** Why something is so or was done, as data. */
export interface Reason {
  readonly code: string;
  readonly fields?: Fields;
}

/** A moment among the fields, as the wire writes it. */
export const moment = isoTime;

/** What went wrong, more exactly than by the reason of the error: `failure` is its code. */
export const failureFields = (failure: string, fields: Fields = {}): Fields => ({ failure, ...fields });

export function sameFields(a: Fields | undefined, b: Fields | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => String(a[key]) === String(b[key]));
}
