import { readdirSync } from "node:fs";
import type { BenchResult } from "./result.ts";

/** npm run bench -- NAME [--json]: NAME is a file beside this one that exports `run`. */
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && file !== "main.ts" && file !== "result.ts")
  .map((file) => file.slice(0, -3));
const args = process.argv.slice(2);
const name = args.find((argument) => !argument.startsWith("--")) ?? "";
if (!names.includes(name)) {
  process.stderr.write(`Usage: npm run bench -- NAME [--json]\nNAME is one of: ${names.join(", ")}\n`);
  process.exit(2);
}
const { run } = (await import(`./${name}.ts`)) as { readonly run: () => Promise<BenchResult> };
const { metrics, ratios } = await run();
if (args.includes("--json")) process.stdout.write(`${JSON.stringify({ bench: name, metrics, ratios })}\n`);
else {
  const rows = [...Object.entries(metrics), ...Object.entries(ratios).map(([key, value]) => [`ratio ${key}`, value])];
  const width = Math.max(...rows.map(([key]) => String(key).length));
  for (const [key, value] of rows)
    process.stdout.write(`${String(key).padEnd(width)}  ${Number(Number(value).toPrecision(4))}\n`);
}
process.exit(0);
