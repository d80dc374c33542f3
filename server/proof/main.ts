import { readdirSync } from "node:fs";
import { type Proof, tableOf } from "./report.ts";

/** npm run proof -- NAME [SCENARIO...] [--list]: NAME is a file beside this one that exports `proof`. */
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && file !== "main.ts" && file !== "report.ts")
  .map((file) => file.slice(0, -3));
const args = process.argv.slice(2);
const [name = "", ...chosen] = args.filter((argument) => !argument.startsWith("--"));
if (!names.includes(name)) {
  process.stderr.write(`Usage: npm run proof -- NAME [SCENARIO...] [--list]\nNAME is one of: ${names.join(", ")}\n`);
  process.exit(2);
}
const { proof } = (await import(`./${name}.ts`)) as { readonly proof: Proof };
const scenarios = Object.keys(proof.scenarios);
const unknown = chosen.filter((one) => !scenarios.includes(one));
if (args.includes("--list") || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`There is no scenario ${unknown.join(", ")}. There are:\n`);
  process.stdout.write(`${scenarios.join("\n")}\n`);
  process.exit(unknown.length > 0 ? 2 : 0);
}
// What was begun is put away in order, and what was seen until then is told.
const over = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => over.abort());
const tell = (line: string): void => void process.stderr.write(`${line}\n`);
const outcomes = await proof.run(chosen.length === 0 ? scenarios : chosen, tell, over.signal);
process.stdout.write(tableOf(name, outcomes));
process.exit(outcomes.every(({ violation }) => violation === null) ? 0 : 1);
