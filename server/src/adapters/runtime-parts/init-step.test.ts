import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesTar } from "./files-tar.ts";
import { INIT_FAILED, initFailure, initStep, UNPACK_INPUT } from "./init-step.ts";

const SHELLS = ["sh", "bash", "busybox sh"].filter((shell) => spawnSync(`${shell} -c :`, { shell: true }).status === 0);

describe.each(SHELLS)("what comes before the IDE, in %s", (shell) => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ch-init-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (script: string, input: Buffer = Buffer.alloc(0)) => {
    const [program = "", ...args] = [...shell.split(" "), "-c", `${script}\necho then`];
    const env = { ...process.env, CODEHUB_FILES: folder };
    const { status, stdout } = spawnSync(program, args, { env, input, encoding: "utf8", timeout: 10_000 });
    return { status, stdout };
  };

  it("goes on after a step that ends well, and leaves no clock running", () => {
    const began = performance.now();
    const { status, stdout } = run(
      initStep({ command: ["printf", "%s|", "it's", "$HOME", "two words"], limitSeconds: 60 }),
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: "it's|$HOME|two words|then\n" });
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it("ends with the step's code and its last words", () => {
    const { status, stdout } = run(initStep({ command: ["sh", "-c", "echo no key; exit 3"], limitSeconds: 60 }));
    expect(status).toBe(INIT_FAILED);
    expect(initFailure(stdout)).toEqual({ code: "init_failed", fields: { exit_code: 3, message: "no key" } });
  });

  it("ends when the step's time is over", () => {
    const { status, stdout } = run(initStep({ command: ["sh", "-c", "echo waits; sleep 2"], limitSeconds: 1 }));
    expect(status).toBe(INIT_FAILED);
    expect(initFailure(stdout)).toEqual({ code: "init_failed", fields: { limit_seconds: 1, message: "waits" } });
  });

  const long = `${"folder-".repeat(9)}/${"deeper-".repeat(9)}/key`;
  const files = [
    { path: "ssh/key", mode: 0o600, content: Buffer.from("secret\n") },
    { path: "bytes", mode: 0o444, content: Buffer.from(Array.from({ length: 1_500 }, (_, at) => at & 0xff)) },
    { path: long, mode: 0o400, content: Buffer.alloc(512, "x") },
  ];

  it("unpacks the files with their modes", () => {
    expect(run(UNPACK_INPUT, filesTar(files))).toEqual({ status: 0, stdout: "then\n" });
    for (const { path, mode, content } of files) {
      expect(readFileSync(join(folder, path)).equals(content), path).toBe(true);
      expect(statSync(join(folder, path)).mode & 0o777, path).toBe(mode);
    }
  });

  it("does not go on with half of them", () => {
    const whole = filesTar(files);
    for (const bytes of [0, 512, 1_024, 3_000, whole.length - 1_536]) {
      expect(run(UNPACK_INPUT, whole.subarray(0, bytes)).status, `${bytes} bytes`).toBe(92);
    }
  });
});

it("takes no other end of a container for a failed step", () => {
  expect(initFailure("")).toBeNull();
  expect(initFailure("[codehub] the step before the IDE ended with code 3\nand then the IDE")).toBeNull();
  expect(
    initFailure(`${"x".repeat(5_000)}\n[codehub] the step before the IDE ended with code 1`)?.fields?.["message"],
  ).toHaveLength(2_048);
});
