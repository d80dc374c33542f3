import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import { dataDirectory, removeAll, type Stage, startStage } from "../cli/stage.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { hasPrometheus, promtool, startPrometheus } from "./prometheus.ts";
import { lostLabels, readQuery, type Series, seriesIn, unknownIn } from "./queries.ts";

const TOKEN = "token-of-the-monitoring-test";
const file = (name: string): string => fileURLToPath(new URL(`../../../deploy/monitoring/${name}`, import.meta.url));

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}
const rules = (
  parse(readFileSync(file("alerts.yaml"), "utf8")) as { groups: readonly { rules: readonly Rule[] }[] }
).groups.flatMap(({ rules }) => rules);

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly Target[];
}
const dashboard: {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
} = JSON.parse(readFileSync(file("grafana-dashboard.json"), "utf8"));

/** As Grafana fills them in. */
const filled = (expr: string): string => expr.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*");
const targets = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr: filled(expr), legendFormat })),
);

let database: TestDatabase;
let dataDir: string;
let stage: Stage;
let scraped: string;
async function scrape(): Promise<string> {
  const answer = await fetch(`${stage.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(answer.status).toBe(200);
  return await answer.text();
}
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await dataDirectory();
  stage = await startStage(dataDir, async () => database.url, { DATABASE_URL: database.url, METRICS_TOKEN: TOKEN });
  // Routes are told once they were asked for.
  await stage.api.getSession();
  await fetch(`${stage.url}/readyz`);
  // The doctor looks while it is scraped, and tells at a later scrape.
  scraped = await vi.waitFor(
    async () => {
      const text = await scrape();
      expect(text).toContain('codehub_doctor_findings{check="disk",level="broken"} 0');
      expect(text).toContain('codehub_component_up{component="coordinator"} 1');
      return text;
    },
    { timeout: 60_000, interval: 200 },
  );
});
afterAll(async () => {
  await stage?.stop();
  await database?.drop();
  await removeAll(dataDir);
});

describe("what is asked for is told by the program itself", () => {
  /** A request that failed by the server is seen where one has. */
  const failed = 'codehub_http_requests_total{route="/api/v1/workspaces",method="GET",status="500"} 1';
  const told = (): Series => seriesIn(scraped, failed);

  test("its scrape has what the planted series is like, and a wrong name, label or value is noticed", () => {
    const labels = seriesIn(scraped).get("codehub_http_requests_total")?.[0] ?? {};
    expect(Object.keys(labels).sort()).toEqual(["method", "route", "status"]);
    const unknown = (expr: string): string[] => unknownIn(readQuery(expr), told());
    expect(unknown("sum(codhub_workspaces) > 0")).toEqual(["codhub_workspaces"]);
    expect(unknown('max(codehub_workspaces{phse="ERROR"})')).toEqual(['codehub_workspaces{phse="ERROR"}']);
    expect(unknown('codehub_workspaces{phase=~"ERR"}')).toEqual(['codehub_workspaces{phase=~"ERR"}']);
    expect(unknown("sum by (phases) (codehub_workspaces)")).toEqual(["by (phases)"]);
  });

  test.each(rules)("$alert", ({ expr, labels, annotations }) => {
    const query = readQuery(expr);
    expect(query.selectors.length).toBeGreaterThan(0);
    expect(unknownIn(query, told())).toEqual([]);
    const named = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label = ""]) => label);
    expect(lostLabels(named, query, told())).toEqual([]);
    expect(["critical", "warning"]).toContain(labels.severity);
    expect([annotations.summary, annotations.action]).toEqual([
      expect.stringMatching(/\.$/),
      expect.stringMatching(/\.$/),
    ]);
  });

  test.each(targets)("panel: $title, $legendFormat", ({ expr, legendFormat }) => {
    const query = readQuery(expr);
    expect(query.selectors.length).toBeGreaterThan(0);
    expect(unknownIn(query, told())).toEqual([]);
    const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
    expect(lostLabels(named, query, told())).toEqual([]);
  });

  test("the dashboard's variables and marks, and every panel has a number of its own", () => {
    for (const { expr } of dashboard.annotations.list) expect(unknownIn(readQuery(expr), told())).toEqual([]);
    const [, metric = ""] =
      /label_values\((\w+), instance\)/.exec(dashboard.templating.list[1]?.definition ?? "") ?? [];
    expect(told().has(metric)).toBe(true);
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("every metric of ours but Node's is on the dashboard or in an alert", () => {
    const used = new Set(
      [...rules, ...targets].flatMap(({ expr }) => readQuery(expr).selectors.map(({ metric }) => metric)),
    );
    const ours = [...scraped.matchAll(/^# TYPE (codehub_\w+)/gm)].map(([, name = ""]) => name);
    const unused = ours.filter(
      (name) => !name.startsWith("codehub_process_") && !used.has(name) && !used.has(`${name}_bucket`),
    );
    expect(unused.toSorted()).toEqual([
      "codehub_proxy_refusals_total",
      "codehub_proxy_wakes_total",
      "codehub_sse_events_total",
    ]);
  });
});

const isHere = hasPrometheus();
describe.skipIf(!isHere)("with Prometheus itself", () => {
  it("takes the rules, and each alert fires when it should and not when it should not", async () => {
    expect(await promtool("check", "rules", file("alerts.yaml"))).toContain(`SUCCESS: ${rules.length} rules`);
    expect(await promtool("test", "rules", file("alerts.test.yaml"))).toContain("SUCCESS");
    const tried = [...readFileSync(file("alerts.test.yaml"), "utf8").matchAll(/alertname="(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(tried.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });

  it("understands every query of the dashboard", async () => {
    const folder = await mkdtemp(join(tmpdir(), "codehub-queries-"));
    try {
      const records = targets.map(({ expr }, number) => ({ record: `panel:${number}`, expr }));
      await writeFile(join(folder, "panels.yaml"), stringify({ groups: [{ name: "panels", rules: records }] }));
      expect(await promtool("check", "rules", join(folder, "panels.yaml"))).toContain("SUCCESS");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("scrapes with METRICS_TOKEN, evaluates every rule, and has something for every panel", async () => {
    await using prometheus = await startPrometheus(new URL(stage.url).host, TOKEN, file("alerts.yaml"));
    const query = async (expr: string): Promise<readonly unknown[]> =>
      ((await prometheus.ask(`/api/v1/query?query=${encodeURIComponent(expr)}`)) as { result: readonly unknown[] })
        .result;
    // A rate needs two scrapes.
    await vi.waitFor(async () => expect(await query("count_over_time(up[1m]) > 3 and up == 1")).toHaveLength(1), {
      timeout: 30_000,
      interval: 200,
    });
    for (const { title, expr } of targets) expect([title, (await query(expr)).length]).not.toEqual([title, 0]);
    await vi.waitFor(
      async () => {
        const { groups } = (await prometheus.ask("/api/v1/rules")) as {
          groups: readonly { rules: readonly { name: string; health: string; state: string }[] }[];
        };
        const seen = groups.flatMap(({ rules }) => rules);
        expect(seen.map(({ name, health }) => `${name} ${health}`).toSorted()).toEqual(
          rules.map(({ alert }) => `${alert} ok`).toSorted(),
        );
        expect(seen.filter(({ state }) => state === "firing")).toEqual([]);
      },
      { timeout: 30_000, interval: 200 },
    );
  });
});
