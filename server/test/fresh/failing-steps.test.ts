import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { closedPort } from "./closed-port.ts";

/** The scripts in a project of a few files, where each step can be made to fail. */

const SCRIPTS = resolve(import.meta.dirname, "../../../scripts");

function project(): string {
  const dir = mkdtempSync(join(tmpdir(), "codehub-steps-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(SCRIPTS, join(dir, "scripts"), { recursive: true });
  for (const name of ["dashboard", "contract", "server/src", "node_modules/.bin"])
    mkdirSync(join(dir, name), { recursive: true });
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, dependencies: { nothing: "1.0.0" } }));
  writeFileSync(join(dir, "package-lock.json"), "{}");
  return dir;
}

/** As if exactly what is locked had been installed. */
const installed = (dir: string): void => writeFileSync(join(dir, "node_modules/.codehub-lock"), "{}");

function program(dir: string, name: string, body: string): void {
  const path = join(dir, "node_modules/.bin", name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}

function run(dir: string, command: string, env: Record<string, string> = {}) {
  const { status, stderr } = spawnSync("bash", ["-c", command], {
    cwd: dir,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  return { status, stderr };
}

test("dependencies that cannot be installed: says so, names the registry and shows npm's words", async () => {
  const dir = project();
  const registry = `http://127.0.0.1:${await closedPort()}/`;
  const env = { npm_config_registry: registry, npm_config_cache: join(dir, "cache"), npm_config_fetch_retries: "0" };
  const { status, stderr } = run(dir, ". scripts/ensure-install.sh", env);
  expect(status).toBe(1);
  expect(stderr).toContain("ECONNREFUSED");
  expect(stderr).toContain(`The dependencies could not be installed from ${registry}`);
});

test("no npm: says so and what to do", () => {
  const dir = project();
  const bin = join(dir, "bin");
  mkdirSync(bin);
  for (const tool of ["dirname", "cmp"]) writeFileSync(join(bin, tool), `#!/bin/bash\nexec /usr/bin/${tool} "$@"\n`);
  for (const tool of ["dirname", "cmp"]) chmodSync(join(bin, tool), 0o755);
  const { status, stderr } = run(dir, `PATH=${bin}; . scripts/ensure-install.sh`);
  expect(status).toBe(1);
  expect(stderr).toContain("npm was not found");
});

test("a Node that is too old: says which is needed", () => {
  const dir = project();
  installed(dir);
  writeFileSync(join(dir, "old.cjs"), 'Object.defineProperty(process, "versions", { value: { node: "20.1.0" } });');
  program(dir, "node", `exec ${process.execPath} -r ${join(dir, "old.cjs")} "$@"`);
  const { status, stderr } = run(dir, ". scripts/ensure-install.sh");
  expect(status).toBe(1);
  expect(stderr).toContain("CodeHub needs Node 24.12 or newer");
});

test("a dashboard that cannot be built: says so after the builder's words", () => {
  const dir = project();
  installed(dir);
  program(dir, "vite", "echo 'no such file' >&2; exit 3");
  const { status, stderr } = run(dir, ". scripts/ensure-install.sh; . scripts/build.sh");
  expect(status).toBe(1);
  expect(stderr).toContain("no such file");
  expect(stderr).toContain("The dashboard could not be built: its builder ended with exit code 3");
});

test("npm test names the step that failed before the tests", () => {
  const dir = project();
  installed(dir);
  program(dir, "vite", "exit 3");
  writeFileSync(join(dir, "scripts/install-engines.sh"), "exit 0\n");
  const { status, stderr } = run(dir, "bash scripts/test.sh");
  expect(status).toBe(1);
  expect(stderr).toContain('"building dashboard and server (scripts/build.sh)" ended with exit code 1');
});

test("npm test does not leave the installing of the engines behind when another step fails", () => {
  const dir = project();
  installed(dir);
  program(dir, "vite", "exit 3");
  writeFileSync(join(dir, "scripts/install-engines.sh"), "sleep 1; echo engines are installed >&2\n");
  const { stderr } = run(dir, "bash scripts/test.sh; echo npm test has ended >&2");
  expect(stderr.trimEnd()).toMatch(/engines are installed\n[\s\S]*npm test has ended$/);
});

test("npm test with a word that names no step fails and says which steps there are", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(SCRIPTS, "test.ts"), "no such step"], {
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toContain('No step is called "no such step". There are: format and lint, ');
  expect(stdout.trim()).toBe("0 passed, 1 failed");
});
