import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { type BenchResult, rowsOf } from "./result.ts";
import { tableOf } from "./shared/table.ts";

/** One that hangs does not keep the others from running. */
const LIMIT_MS = 10 * 60_000;
/** Ten thousand workspaces are not made in ten minutes. */
const LONGER_MS: Readonly<Record<string, number>> = { fleet: 60 * 60_000 };
const BUILD = resolve(import.meta.dirname, "../../scripts/build-all.sh");

/** npm run bench -- NAME [--json]: NAME is a file beside this one that exports `run`, or `all`. */
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && file !== "main.ts" && file !== "result.ts")
  .map((file) => file.slice(0, -3));
const args = process.argv.slice(2);
const json = args.includes("--json");
const name = args.find((argument) => !argument.startsWith("--")) ?? "";
if (name === "all") process.exit(all());
if (!names.includes(name)) {
  process.stderr.write(`Usage: npm run bench -- NAME [--json]\nNAME is all, or one of: ${names.join(", ")}\n`);
  process.exit(2);
}
await one();
process.exit(0);

async function one(): Promise<void> {
  // What is measured is what the sources are, the dashboard too. A profile is asked for of the bench and not of this.
  execFileSync("bash", [BUILD], { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, NODE_OPTIONS: "" } });
  const { run } = (await import(`./${name}.ts`)) as { readonly run: () => Promise<BenchResult> };
  const { metrics, ratios } = await run();
  const rows = rowsOf(name, { metrics, ratios });
  const goals = rows.filter(({ goal }) => goal !== null).map((row) => [row.name, { ...row.goal, met: row.met }]);
  process.stdout.write(
    json
      ? `${JSON.stringify({ bench: name, metrics, ratios, goals: Object.fromEntries(goals) })}\n`
      : tableOf(name, rows),
  );
}

/** Each in a process of its own, one after the other, so that none finds what another left in memory. */
function all(): number {
  let failed = 0;
  for (const bench of names) {
    const stdio = ["ignore", "inherit", "inherit"] as const;
    const more = json ? ["--json"] : [];
    const ended = spawnSync(process.execPath, [import.meta.filename, bench, ...more], {
      stdio: [...stdio],
      timeout: LONGER_MS[bench] ?? LIMIT_MS,
    });
    if (ended.status === 0) continue;
    failed += 1;
    process.stderr.write(`${bench} gave no figures: what it said stands above.\n`);
  }
  return failed === 0 ? 0 : 1;
}
