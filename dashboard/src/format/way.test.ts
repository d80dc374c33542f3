import { describe, expect, test } from "vitest";
import { before, stepped, type Way, wayOf } from "./way.ts";

describe("the way through pages that can only be turned forwards", () => {
  const walked = stepped(stepped({}, "", "?after=b"), "?after=b", "?after=c");

  test.each([
    ["the third leads to the second", "?after=c", "?after=b"],
    ["the second to the first", "?after=b", ""],
    ["nothing is before the first", "", null],
    ["nobody came to this one", "?after=z", null],
  ])("%s", (_name, page, expected) => expect(before(walked, page)).toBe(expected));

  test("is found again after it was written down", () => {
    expect(wayOf(JSON.parse(JSON.stringify(walked)))).toEqual(walked);
  });

  test("the last way to a page counts", () => {
    expect(before(stepped(walked, "?after=x", "?after=c"), "?after=c")).toBe("?after=x");
  });

  test("the oldest steps are let go", () => {
    let way: Way = {};
    for (let page = 1; page <= 250; page += 1) way = stepped(way, `p${page - 1}`, `p${page}`);
    expect(Object.keys(way)).toHaveLength(200);
    expect([before(way, "p50"), before(way, "p51"), before(way, "p250")]).toEqual([null, "p50", "p249"]);
  });

  test.each([[null], ["text"], [["a"]], [{ a: 1 }]])("what is no way is none: %j", (found) => {
    expect(before(wayOf(found), "a")).toBeNull();
  });
});
