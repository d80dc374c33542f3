import { ApiError } from "@codehub/contract";
import { expect, test } from "vitest";
import { isPassing, problemText } from "./api.ts";

const failure = (status: number, over: object = {}) =>
  new ApiError(status, { message: "It failed.", action: "Do this.", request_id: "r-1", ...over }, null);

test.each([
  [
    "what an administrator finds in the logs",
    failure(500, { code: "INTERNAL" }),
    "It failed. Do this. Request id: r-1.",
  ],
  ["what nobody has to look for", failure(503, { code: "DATABASE_UNAVAILABLE" }), "It failed. Do this."],
  [
    "no server, and so no id",
    new ApiError(0, {}, null),
    "The server could not be reached. Check the connection and try again.",
  ],
  [
    "another program's page",
    new ApiError(502, {}, null),
    "The server could not be reached. Check the connection and try again.",
  ],
])("%s", (_name, error, text) => expect(problemText(error)).toBe(text));

test.each([
  [0, true],
  [429, true],
  [500, true],
  [503, true],
  [400, false],
  [404, false],
  [409, false],
])("a status of %d passes by itself: %j", (status, passes) => expect(isPassing(failure(status))).toBe(passes));
