import { expect, test } from "vitest";
import { fleetAsk, fleetOf, fleetQuery } from "./fleet-view.ts";

test.each([
  ["", { owner: "all", limit: 100, sort: "last_access_at", order: "desc" }],
  ["?q=web&phase=ERROR", { owner: "all", limit: 100, sort: "last_access_at", order: "desc", q: "web", phase: "ERROR" }],
  ["?owner=an-id&sort=name", { owner: "an-id", limit: 100, sort: "name", order: "asc" }],
  ["?sort=name&order=desc&after=xyz", { owner: "all", limit: 100, sort: "name", order: "desc", cursor: "xyz" }],
  ["?group=owner&sort=name", { owner: "all", limit: 100, sort: "owner", order: "asc" }],
] as const)("the address %s asks the server, and is written the same again", (query, asked) => {
  expect(fleetAsk(fleetOf(query))).toEqual(asked);
  expect(fleetQuery(fleetOf(query))).toBe(query);
});

test("an address that says what there is not asks for the first page of all", () => {
  expect(fleetQuery(fleetOf("?phase=none&sort=colour&order=up&group=phase"))).toBe("");
});
