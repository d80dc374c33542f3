import { expect, test } from "vitest";
import { toJson } from "./json.ts";
import { API_ROLE } from "./roles.ts";
import { all, fragment, type Queryable, statement } from "./statement.ts";

/** Stands in for a connection only to see what would be sent; what PostgreSQL makes of it is tested on PostgreSQL. */
function recorder(): { connection: Queryable; sent: unknown[] } {
  const sent: unknown[] = [];
  const query = async (config: unknown) => {
    sent.push(config);
    return { rows: [] };
  };
  return { connection: { query } as unknown as Queryable, sent };
}

const find = statement<{ id: string; names: readonly string[] }>("find", API_ROLE)`
SELECT ${fragment("a, b")} FROM t WHERE id = ${"id"} AND name = ANY (${"names"}) AND other <> ${"id"}`;

test("a name is one parameter however often it is used, and a fragment is part of the text", () => {
  expect(find.text).toBe("SELECT a, b FROM t WHERE id = $1 AND name = ANY ($2) AND other <> $1");
  expect(find.parameters).toEqual(["id", "names"]);
});

test("values travel in the order of the parameters, under the statement's name, as PostgreSQL can store them", async () => {
  const { connection, sent } = recorder();
  await all(connection, find, { names: ["fine", "half \ud800"], id: "nul\0" });
  expect(sent).toEqual([{ name: "find", text: find.text, values: ["nul\uFFFD", ["fine", "half \uFFFD"]] }]);
});

test("JSON holds nothing that PostgreSQL refuses, however deep", () => {
  expect(toJson({ a: [{ b: "x\0y" }], c: "\udc00" })).toBe(JSON.stringify({ a: [{ b: "x\uFFFDy" }], c: "\uFFFD" }));
});
