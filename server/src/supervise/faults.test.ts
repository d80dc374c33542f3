import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { EXIT } from "./exit-codes.ts";

/** Runs a line of a program that ends on faults, in a process of its own, because it ends it. */
function run(line: string): { status: number | null; said: string } {
  const [logger, faults] = ["../adapters/system/logger.ts", "./faults.ts"].map((file) =>
    JSON.stringify(import.meta.resolve(file)),
  );
  const program = `
    import { createLogger } from ${logger};
    import { endOnFault } from ${faults};
    endOnFault(createLogger({ level: "error", destination: process.stderr }));
    setInterval(() => {}, 1_000);
    const inner = new Error("inner", { cause: { url: "postgres://codehub:CANARY@db/codehub" } });
    ${line}`;
  const ended = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  return { status: ended.status, said: ended.stderr };
}

test.each([
  ["thrown", `setTimeout(() => { throw new Error("outer", { cause: inner }); });`],
  ["rejected", `void Promise.reject(new Error("outer", { cause: inner }));`],
  ["emitted", `new (await import("node:events")).EventEmitter().emit("error", new Error("outer", { cause: inner }));`],
  ["no error at all", `void Promise.reject({ outer: inner });`],
])(
  "what nobody expected, %s, is logged with its causes and without secrets, and ends the process",
  (_how, line) => {
    const { status, said } = run(line);
    expect(status).toBe(EXIT.fault);
    const logged = said.split("\n").find((entry) => entry.startsWith("{")) ?? "";
    const { level, msg, error } = JSON.parse(logged);
    expect({ level, msg }).toEqual({ level: "error", msg: expect.stringContaining("nobody expected") });
    expect(error).toContain("outer");
    expect(error).toContain("inner");
    expect(error).toContain("postgres://***@db/codehub");
    expect(said).not.toContain("CANARY");
  },
  // Each starts a program, which takes its time on a busy machine.
  60_000,
);
