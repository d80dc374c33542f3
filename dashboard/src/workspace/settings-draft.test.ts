import { describe, expect, test } from "vitest";
import { sampleWorkspace } from "../words/sample.ts";
import { changesOf, type Draft, draftFrom, remaining, settingsOf } from "./settings-draft.ts";

const settings = settingsOf(sampleWorkspace({ memo: "from elsewhere", standby_ttl_seconds: 600 }));

describe("what a form saves", () => {
  test.each<[string, Draft, ReturnType<typeof changesOf>]>([
    ["nothing that nobody touched", {}, null],
    ["nothing that is as it was", { memo: "from elsewhere", image_ref: "codehub/workspace" }, null],
    ["what was typed, and not the memo", { description: " for the course " }, { description: "for the course" }],
    ["a text that was taken away", { memo: " \n" }, { memo: null }],
    ["the default in the place of a time", { standby_ttl_seconds: null }, { standby_ttl_seconds: null }],
    ["never", { archive_ttl_seconds: 0 }, { archive_ttl_seconds: 0 }],
    ["a memo as it was written", { memo: "  code\n" }, { memo: "  code\n" }],
    ["a name without the spaces around it", { name: " lab " }, { name: "lab" }],
    ["an image", { image_ref: "other" }, { image_ref: "other" }],
  ])("%s", (_, draft, expected) => expect(changesOf(draft, settings)).toEqual(expected));
});

test("what was typed while it was saved is still to be saved", () => {
  const saved = { ...settings, name: "lab", memo: "one" };
  expect(remaining({ name: "lab", memo: "one and two" }, saved)).toEqual({ memo: "one and two" });
});

test.each([
  ["nothing", null, {}],
  ["no draft at all", "lab", {}],
  ["a draft", { memo: "half", standby_ttl_seconds: null }, { memo: "half", standby_ttl_seconds: null }],
  ["fields of another version", { memo: "half", colour: "red", toString: "x" }, { memo: "half" }],
  ["a field of another kind", { name: 3, archive_ttl_seconds: "never", description: "d" }, { description: "d" }],
])("what was kept goes into the form as far as it fits: %s", (_, found, draft) =>
  expect(draftFrom(found)).toEqual(draft),
);
