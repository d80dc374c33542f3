import type { Listed } from "@codehub/contract";
import { expect, test } from "vitest";
import { sampleWorkspace } from "../words/sample.ts";
import {
  between,
  countsOf,
  type FoundInMemo,
  firstView,
  groupsOf,
  otherOwner,
  queryOf,
  type View,
  viewOf,
  visible,
  windowOf,
} from "./list-view.ts";

const make = (n: number, over: Partial<Listed>): Listed => ({
  ...sampleWorkspace({ id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}` }),
  ...over,
});
const everything: View = { search: "", filter: "all", sort: "name", descending: false };
const names = (items: Listed[], view: Partial<View>, found: FoundInMemo = new Map()) =>
  visible(items, { ...everything, ...view }, found).map((item) => item.name);

const items = [
  make(1, { name: "web 10", phase: "RUNNING", desired_state: "RUNNING", last_access_at: "2026-11-15T10:00:00Z" }),
  make(2, { name: "web 2", phase: "ERROR", desired_state: "RUNNING", home_bytes: 5 }),
  make(3, { name: "api", phase: "STANDBY", operation: "ARCHIVING", desired_state: "ARCHIVED", home_bytes: 9 }),
  make(4, { name: "gone", deleted_at: "2026-11-15T10:00:00Z" }),
];

test("numbers in names sort as numbers, and the trash is not in the list", () => {
  expect(names(items, {})).toEqual(["api", "web 2", "web 10"]);
  expect(names(items, { descending: true })).toEqual(["web 10", "web 2", "api"]);
});

test("every word of a search must be found, in name, description or memo", () => {
  const found = new Map([["post", new Set([make(2, {}).id, make(3, {}).id])]]);
  expect(names(items, { search: "WEB post" }, found)).toEqual(["web 2"]);
  expect(names(items, { search: "WEB post" })).toEqual([]);
  expect(names(items, { search: "web api" })).toEqual([]);
});

test("filters", () => {
  expect(names(items, { filter: "busy" })).toEqual(["api"]);
  expect(names(items, { filter: "attention" })).toEqual(["web 2"]);
  expect(countsOf(items)).toEqual({ all: 3, running: 1, standby: 1, archived: 0, busy: 1, attention: 1 });
});

test("what is unknown sorts below what is known", () => {
  expect(names(items, { sort: "size", descending: true })).toEqual(["api", "web 2", "web 10"]);
});

test("the window holds what is seen and stays inside the list", () => {
  expect(windowOf(1000, 50, 200, 0, 800, 2)).toEqual({ first: 0, last: 14 });
  expect(windowOf(1000, 50, 200, 5200, 800, 2)).toEqual({ first: 98, last: 118 });
  expect(windowOf(10, 50, 200, 99_999, 800, 2)).toEqual({ first: 10, last: 10 });
  expect(windowOf(0, 50, 200, 0, 800, 2)).toEqual({ first: 0, last: 0 });
});

test("pinned ones come first, each part in the order that was chosen", () => {
  const pins = new Set([make(1, {}).id, make(4, {}).id]);
  const view = { ...everything, descending: true };
  expect(visible(items, view, new Map(), pins).map(({ name }) => name)).toEqual(["web 10", "web 2", "api"]);
  expect(visible(items, everything, new Map(), pins).map(({ name }) => name)).toEqual(["web 10", "api", "web 2"]);
});

test.each<[string, Partial<View>]>([
  ["", {}],
  ["?q=web+%2310", { search: "web #10" }],
  ["?show=attention&sort=name", { filter: "attention", sort: "name", descending: false }],
  ["?sort=name&order=desc", { sort: "name", descending: true }],
  ["?order=asc", { descending: false }],
])("the address %s says a view and is said by it", (query, over) => {
  const view = { ...firstView, ...over };
  expect(viewOf(query)).toEqual(view);
  expect(queryOf(view)).toBe(query);
});

test("an address that says what there is not shows the first view", () => {
  expect(viewOf("?show=nothing&sort=colour&order=up&other=1")).toEqual(firstView);
});

test("a range goes either way, and from what is not listed it is its end alone", () => {
  const rows = ["a", "b", "c", "d"].map((id) => ({ id }));
  expect(between(rows, "b", "d")).toEqual(["b", "c", "d"]);
  expect(between(rows, "d", "b")).toEqual(["b", "c", "d"]);
  expect(between(rows, "gone", "b")).toEqual(["b"]);
});

test("rows under one name have one heading, where they begin", () => {
  const rows = ["ada", "ada", "bob", "cy"];
  expect(groupsOf(rows, (name) => ({ name })).map(({ name, at }) => `${name} ${at}`)).toEqual([
    "ada 0",
    "bob 2",
    "cy 3",
  ]);
  expect(groupsOf([], (name) => ({ name }))).toEqual([]);
});

test.each([
  [null, null],
  [{ username: "mina" }, null],
  [{ username: "jun" }, "jun"],
])("whose %j is, to mina", (owner, expected) => {
  expect(otherOwner({ owner }, "mina")).toBe(expected);
});
