import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { codeServer } from "./ide-command.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "codehub-home-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const PROMPT = "PS1='coder@$CODEHUB_WORKSPACE_NAME:\\w\\$ '\n";

/** Starts the IDE's command with `echo` in the place of Node. */
function start(): string {
  const ide = codeServer("/bin/echo", "/opt/entry.js");
  const [program = "", ...args] = ide.command({ home, folder: home, socket: "/run/ide.sock", runtimeDir: "/run" });
  const { status, stdout, stderr } = spawnSync(program, args, { env: { HOME: home, PATH: "/bin" }, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

const settings = (): string => readFileSync(join(home, ".local/share/code-server/User/settings.json"), "utf8");

test("a new home gets settings and a prompt, and the IDE is started with its arguments", () => {
  expect(start()).toMatch(/^\/opt\/entry\.js --auth none --socket \/run\/ide\.sock /);
  expect(JSON.parse(settings())).toMatchObject({ "update.mode": "none" });
  expect(readFileSync(join(home, ".bashrc"), "utf8")).toBe(PROMPT);
});

test("the prompt that homes got before says the workspace's name from now on, and one's own stays", () => {
  writeFileSync(join(home, ".bashrc"), "PS1='coder:\\w\\$ '\n");
  start();
  expect(readFileSync(join(home, ".bashrc"), "utf8")).toBe(PROMPT);
  writeFileSync(join(home, ".bashrc"), "PS1='coder:\\w\\$ '\nalias l=ls\n");
  start();
  expect(readFileSync(join(home, ".bashrc"), "utf8")).toContain("alias");
});

test("the prompt is the name as it is, whatever is in it", () => {
  start();
  const env = { HOME: home, PATH: "/usr/bin:/bin", CODEHUB_WORKSPACE_NAME: "a $(touch evil) `id` \\u b" };
  const { stdout } = spawnSync("bash", ["-c", `. "$HOME/.bashrc"; printf %s "\${PS1@P}"`], {
    cwd: home,
    env,
    encoding: "utf8",
  });
  expect(stdout).toMatch(/^coder@a \$\(touch evil\) `id` \\u b:~[$#] $/);
  expect(existsSync(join(home, "evil"))).toBe(false);
});

test("what runs beside the IDE can call its command line, wherever that lies", () => {
  const { variables = {} } = codeServer("/bin/echo", "/opt/it's here/entry.js");
  const text = `${variables["CODEHUB_IDE"]} "$@"`;
  const { stdout } = spawnSync("/bin/sh", ["-c", text, "sh", "--install-extension", "a.b"], { encoding: "utf8" });
  expect(stdout).toBe("/opt/it's here/entry.js --config /dev/null --install-extension a.b\n");
  expect(variables["CODEHUB_NODE"]).toBe("/bin/echo");
});

test("what is in a home stays, also a link that leads nowhere", () => {
  start();
  writeFileSync(join(home, ".local/share/code-server/User/settings.json"), "mine");
  rmSync(join(home, ".bashrc"));
  symlinkSync(join(home, "nowhere"), join(home, ".bashrc"));
  start();
  expect(settings()).toBe("mine");
  expect(() => readFileSync(join(home, "nowhere"))).toThrow("ENOENT");
});
