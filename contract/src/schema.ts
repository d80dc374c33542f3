import { type TSchema, Type } from "typebox";

/** A schema that is also allowed to be null; the wire uses null, never a missing field, for "there is none". */
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
/** Text a person reads on one line: control characters could forge log lines or hide what is shown. */
export const line = (maxLength: number, options: object = {}) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern:
      "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$",
    ...options,
  });
/** Free text of several lines; only NUL is refused, because PostgreSQL cannot store it. */
export const text = (maxLength: number, options: object = {}) =>
  Type.String({ maxLength, pattern: "^[^\\u0000]*$", ...options });
