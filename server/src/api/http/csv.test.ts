import { describe, expect, test } from "vitest";
import { csvLine } from "./csv.ts";

describe("a line of a file that a spreadsheet opens", () => {
  test.each<[string, string | number | null, string]>([
    ["a word", "login", '"login"'],
    ["nothing", null, ""],
    ["an empty word", "", '""'],
    ["a number", -5, "-5"],
    ["quotes", 'the "API"', '"the ""API"""'],
    ["a comma and lines", "a,b\r\nc", '"a,b\r\nc"'],
    ["a formula", "=HYPERLINK(1)", `"'=HYPERLINK(1)"`],
    ["plus", "+1", `"'+1"`],
    ["minus", "-1", `"'-1"`],
    ["at", "@SUM(A1)", `"'@SUM(A1)"`],
    ["a tab", "\t=1", `"'\t=1"`],
    ["a carriage return", "\r=1", `"'\r=1"`],
    ["blanks before it", "  =1", `"'  =1"`],
    ["a line break before it", "\n=1", `"'\n=1"`],
    ["wide signs", "＝1", `"'＝1"`],
    ["a formula that also closes its quotes", '"=1', '"""=1"'],
    ["one that is not first", "a=1", '"a=1"'],
  ])("%s", (_name, value, cell) => {
    expect(csvLine([value])).toBe(`${cell}\r\n`);
  });

  test("has its cells side by side", () => {
    expect(csvLine(["a", 1, null, "b"])).toBe('"a",1,,"b"\r\n');
  });
});
