import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it("never uses the engine's copy interface: it has let containers out onto the host, and loses attributes", () => {
  const sources = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  expect(sources.length).toBeGreaterThan(10);
  for (const name of sources) {
    const text = readFileSync(join(import.meta.dirname, name), "utf8");
    expect(text, name).not.toMatch(/\/(archive|export|copy)\b[^"'`]*["'`]/);
  }
});
