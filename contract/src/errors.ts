import { type Static, Type } from "typebox";
import { closed } from "./schema.ts";
import { errorCodes } from "./words/errors.ts";

export const ErrorBody = closed(
  {
    error: closed({
      code: Type.Enum([...errorCodes]),
      message: Type.String(),
      action: Type.String(),
      request_id: Type.String(),
      details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  },
  { title: "Error" },
);
export type ErrorBody = Static<typeof ErrorBody>;
