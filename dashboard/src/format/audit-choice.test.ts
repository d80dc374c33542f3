import { expect, test } from "vitest";
import { type AuditChoice, auditChoiceOf, auditFilterOf, auditSearch } from "./audit-choice.ts";

const id = "00000000-0000-4000-8000-00000000abcd";
const nothing: AuditChoice = { who: "", kind: "", workspace: "", from: "", to: "", page: 1 };

test.each<[string, Partial<AuditChoice>]>([
  ["", {}],
  [`?who=${id}`, { who: id }],
  ["?who=coordinator&kind=phase_changed", { who: "coordinator", kind: "phase_changed" }],
  [`?workspace=${id}&page=7`, { workspace: id, page: 7 }],
  ["?from=2026-11-01&to=2026-11-30", { from: "2026-11-01", to: "2026-11-30" }],
])("%s is read and written the same", (search, choice) => {
  expect(auditChoiceOf(search)).toEqual({ ...nothing, ...choice });
  expect(auditSearch({ ...nothing, ...choice })).toBe(search);
});

test.each(["?kind=A+B", "?who=%3Cb%3E", "?workspace=1", "?from=yesterday", "?to=2026-99-99", "?page=0", "?page=x"])(
  "%s is left out",
  (search) => expect(auditChoiceOf(search)).toEqual(nothing),
);

test("the last day is meant whole, in the reader's zone", () => {
  const { since, until } = auditFilterOf({ ...nothing, from: "2026-11-18", to: "2026-11-18" });
  expect(since).toBe(new Date(2026, 10, 18).toISOString());
  expect(until).toBe(new Date(2026, 10, 19).toISOString());
});

test.each<[Partial<AuditChoice>, object]>([
  [{}, {}],
  [{ who: id }, { user_id: id }],
  [{ who: "ttl" }, { actor_kind: "ttl" }],
  [
    { kind: "login", workspace: id, page: 3 },
    { kind: "login", workspace_id: id },
  ],
])("%o is asked as %o", (choice, filter) => expect(auditFilterOf({ ...nothing, ...choice })).toEqual(filter));
