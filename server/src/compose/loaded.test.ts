import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** The packages that are in memory once the module is loaded, in a process of its own. */
function loadedBy(file: string): string[] {
  const program = `
    import { registerHooks } from "node:module";
    const seen = new Set();
    const load = (url, context, next) => {
      const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? /src\\/(adapters\\/[^/]+)/.exec(url) ?? [];
      if (name !== undefined) seen.add(name);
      return next(url, context);
    };
    registerHooks({ load });
    await import(${JSON.stringify(import.meta.resolve(file))});
    process.stdout.write(JSON.stringify([...seen]));`;
  const ended = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  return JSON.parse(ended.stdout) as string[];
}

test("what a deployment may do without is loaded by those only that are configured for it", () => {
  const loaded = loadedBy("./app.ts");
  expect(loaded).toContain("adapters/postgres");
  const optional =
    /^(?:@aws-sdk|@smithy|fastify|ioredis|nodemailer|pino-pretty|typebox|yaml)|^adapters\/(?:s3|redis|docker|process|kubernetes|otlp|notices)$/;
  expect(loaded.filter((name) => optional.test(name))).toEqual([]);
  expect(loadedBy("./docker-world.ts")).not.toContain("adapters/process");
}, 60_000);
