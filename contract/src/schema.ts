import { type TSchema, Type } from "typebox";

/** A schema that is also allowed to be null. Outside of summaries the wire uses null, never a missing field, for "there is none". */
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Objects on the wire are closed: an unknown field is a mistake that is named, not ignored. */
export const closed = <P extends Record<string, TSchema>>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

export const Uuid = Type.String({
  format: "uuid",
  pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
  description: "A lower-case UUID.",
});
export const Timestamp = Type.String({ format: "date-time", description: "ISO 8601 in UTC." });
export const Count = Type.Integer({ minimum: 0 });
/**
 * Characters that cannot be seen or that change how their neighbours are shown: control and format characters, halves of
 * characters, direction marks, zero-width and filler characters, tags. A test compares this list with Unicode's own. What
 * turns a sign into an emoji (U+FE0F) is not among them; the joiner of emoji is, because it hides in any word.
 */
const HIDDEN = [
  "\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2",
  "\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164",
  "\\ud800-\\udfff\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff0-\\ufffb\\u{110bd}\\u{110cd}\\u{13430}-\\u{1343f}",
  "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}",
].join("");

/** Text a person reads on one line: what cannot be seen could forge log lines or make one name look like another. */
export const line = (maxLength: number, options: { description?: string } = {}) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: `^[^${HIDDEN}]*[^\\s${HIDDEN}][^${HIDDEN}]*$`,
    ...options,
    description: [
      options.description,
      "One line of visible characters: no control, direction, zero-width or joining characters (U+200D joins emoji).",
    ]
      .filter((part) => part !== undefined)
      .join(" "),
  });
/**
 * Free text of several lines; only NUL is refused, because PostgreSQL cannot store it. Nothing is recognised by it, and it
 * is shown in a block of its own, which direction marks do not reach out of.
 */
export const text = (maxLength: number, options: object = {}) =>
  Type.String({ maxLength, pattern: "^[^\\u0000]*$", ...options });
