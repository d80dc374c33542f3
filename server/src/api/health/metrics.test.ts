import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createProxyMetrics } from "#proxy/metrics.ts";
import { createMetrics } from "./metrics.ts";

describe("docs/operating/metrics.md", () => {
  it("names every metric with its type and labels, and no other", async () => {
    const page = await readFile(new URL("../../../../docs/operating/metrics.md", import.meta.url), "utf8");
    const documented = [...page.matchAll(/^\| (codehub_\w+) \| (\w+) \| ([\w, ]*?) ?\|/gm)].map(
      ([, name, type, labels]) => `${name} ${type} ${labels}`.trim(),
    );
    const { registry } = createMetrics({ processMetrics: false });
    createProxyMetrics(registry);
    const real = registry.getMetricsAsArray().map((metric) => {
      const { name, type, labelNames } = metric as unknown as { name: string; type: string; labelNames: string[] };
      return `${name} ${type} ${labelNames.join(", ")}`.trim();
    });
    expect(documented.sort()).toEqual(real.sort());
  });
});
