import { readFile } from "node:fs/promises";
import { errorCatalogue, errorMessage } from "@codehub/contract";
import { describe, expect, it } from "vitest";

const page = new URL("../../../../docs/errors.md", import.meta.url);

describe("docs/errors.md", () => {
  it("says of every error exactly what the catalogue says, and of nothing else", async () => {
    const rows = (await readFile(page, "utf8")).split("\n").filter((line) => /^\| [A-Z_]+ \|/.test(line));
    const expected = Object.entries(errorCatalogue).map(
      ([code, { status, message, action }]) => `| ${code} | ${status} | ${message} | ${action} |`,
    );
    expect(rows).toEqual(expected);
  });

  it("describes errors in whole sentences, and messages show no unfilled placeholder", () => {
    for (const [code, { message, action }] of Object.entries(errorCatalogue)) {
      expect(message, code).toMatch(/[.?]$/);
      expect(action, code).toMatch(/[.?]$/);
    }
    expect(errorMessage("NOT_FOUND", { what: "workspace" })).toBe("There is no such workspace.");
    expect(errorMessage("NOT_FOUND")).not.toContain("{");
  });
});
