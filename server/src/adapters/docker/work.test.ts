import { expect, test } from "vitest";
import { seen, unseen } from "#core/rows/observation.ts";
import { workIn } from "./work.ts";

const cpu_stats = { cpu_usage: { total_usage: 2_500_000_000 } };

test.each([
  ["the first version of cgroups", { usage: 900, stats: { total_inactive_file: 300, inactive_file: 1 } }, seen(600)],
  ["the second", { usage: 900, stats: { inactive_file: 200 } }, seen(700)],
  ["an engine that does not count memory", {}, unseen("not_counted")],
])("what the engine says is read where it has %s", (_name, memory_stats, memoryBytes) => {
  expect(workIn({ cpu_stats, memory_stats })).toEqual({ cpu: seen({ totalMs: 2_500 }), memoryBytes });
});

test("nothing said is not zero", () => {
  expect(workIn({})).toEqual({ cpu: unseen("not_counted"), memoryBytes: unseen("not_counted") });
});
