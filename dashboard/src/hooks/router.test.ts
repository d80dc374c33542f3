import { expect, test } from "vitest";
import { doorAfterSignIn, pathOf, placeOf } from "./router.ts";

const id = "0b9c9d3e-1111-4222-8333-444455556666";

test.each([
  ["/", { page: "workspaces" }],
  ["/workspaces", { page: "workspaces" }],
  [`/workspaces/${id}`, { page: "workspace", id }],
  [`/workspaces/${id}/`, { page: "workspace", id }],
  ["/login", { page: "workspaces" }],
  ["/new", { page: "new" }],
  ["/new/x", { page: "missing" }],
  ["/trash", { page: "trash" }],
  ["/account", { page: "account" }],
  ["/keys", { page: "keys" }],
  ["/keys/x", { page: "missing" }],
  ["/admin", { page: "admin", tab: "overview" }],
  ["/admin/users", { page: "admin", tab: "users" }],
  ["/admin/secrets", { page: "missing" }],
  ["/workspaces/not-an-id", { page: "missing" }],
  ["/trash/x", { page: "missing" }],
  [`/workspaces/${id}/x`, { page: "missing" }],
])("%s is %o", (path, place) => expect(placeOf(path)).toEqual(place));

test("every path that is made is understood", () => {
  expect(placeOf(pathOf.workspace(id))).toEqual({ page: "workspace", id });
  for (const tab of ["overview", "workspaces", "users", "usage", "audit"] as const)
    expect(placeOf(pathOf.admin(tab))).toEqual({ page: "admin", tab });
});

test.each([
  [`/w/${id}/`, true],
  [`/w/${id}/?port=3000&next=%2Ffolder%3Fa%3Db`, true],
  ["/w/payments-api-7f3k9p/?next=%2Fx", true],
  ["/w/payments-api-7f3k9p/../../admin", false],
  ["/w/a/", false],
  [`//evil.example/w/${id}/`, false],
  [`/w/${id}/../../admin`, false],
  [`/w/${id}/\\evil.example`, false],
  ["https://evil.example/", false],
  ["javascript:alert(1)", false],
  ["/admin", false],
])("signing in goes on to %j: %j", (next, goes) => {
  expect(doorAfterSignIn("/login", `?${new URLSearchParams({ next })}`)).toBe(goes ? next : null);
  expect(doorAfterSignIn("/", `?${new URLSearchParams({ next })}`)).toBeNull();
});
