import { runSeed } from "./run.ts";

const a = process.argv;
const seed = Number(a[2] ?? 1),
  n = Number(a[3] ?? 1);
let steps = 0,
  v = 0;
for (let s = seed; s < seed + n; s++) {
  const r = await runSeed(s, { tracing: n === 1 });
  steps += r.steps;
  v += r.virtualMs;
  if (n === 1 && a[4]) console.log(r.lines.join("\n"));
  if (r.violations.length || n === 1)
    console.log(s, r.steps, (r.virtualMs / 86400000).toFixed(2), r.violations[0] ?? "ok");
}
console.log({ steps, days: v / 86400000 });
