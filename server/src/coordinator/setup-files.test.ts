import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readDevcontainer } from "#core/setup/devcontainer.ts";
import type { Keys } from "#ports/keyring.ts";
import { keepsNothing, NO_KEYS, PRELUDE, type ProjectSetup, setupFiles } from "./setup-files.ts";

const RUNNING = { run: "r", hash: (it: string) => `${it.length}` };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "setup-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** In a shell that has read them, as the one that becomes the IDE has. */
function inShell(keys: Partial<Keys>, script: string, input = "", project: ProjectSetup | null = null): string {
  for (const { path, mode, content } of setupFiles({ ...NO_KEYS, ...keys }, project, RUNNING))
    writeFileSync(join(folder, path), content, { mode });
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder, CODEHUB_FILES: folder };
  const done = spawnSync("/bin/sh", ["-c", `. "$CODEHUB_FILES/${PRELUDE}"\n${script}`], {
    // Outside of any repository, whose own identity would win.
    cwd: folder,
    env,
    input,
    encoding: "utf8",
  });
  return done.stdout + done.stderr;
}

function projectOf(file: object): { readonly plan: ProjectSetup["plan"] } {
  const context = { workspaceId: "w", home: folder, folder: ".", environment: {}, images: null };
  const largest = { cpus: 1, memoryBytes: 1, storageBytes: 1 };
  const read = readDevcontainer(JSON.stringify(file), { ...context, largest, hash: RUNNING.hash });
  if (!read.ok) throw new Error(JSON.stringify(read));
  return read;
}

describe("what a start is given", () => {
  it("is nothing where its owner keeps nothing", () => {
    expect(keepsNothing(NO_KEYS)).toBe(true);
    expect(keepsNothing({ ...NO_KEYS, git: { name: "Ann", email: null } })).toBe(false);
  });

  it("sets variables to the letter, whatever is in them", () => {
    const value = 'it\'s "quoted" $HOME `id`\nsecond line \\ end';
    expect(inShell({ variables: [{ name: "TRICKY", value }] }, 'printf %s "$TRICKY"')).toBe(value);
  });

  it("keeps from the IDE what the IDE would take, and gives it to shells", () => {
    const keys = { variables: [{ name: "GITHUB_TOKEN", value: "canary" }] };
    // With a socket for its input bash takes itself for one that somebody started from afar.
    const inBash = "bash -c 'printf %s \"$GITHUB_TOKEN\"' < /dev/null";
    expect(inShell(keys, `printf "%s." "$GITHUB_TOKEN"; ${inBash}`)).toBe(".canary");
  });

  it("is git's identity, which a person's own wins over", () => {
    const keys = { git: { name: 'Ann "A" O\\Neil', email: "ann@example.com" } };
    expect(inShell(keys, "git config user.name; git config user.email")).toBe('Ann "A" O\\Neil\nann@example.com\n');
    writeFileSync(join(folder, ".gitconfig"), "[user]\n\temail = own@example.com\n");
    expect(inShell(keys, "git config user.email")).toBe("own@example.com\n");
  });

  it("answers git with what is kept for exactly this host, over https", () => {
    const keys = {
      credentials: [
        { host: "git.example.com", username: "ann", password: "canary one=two" },
        { host: "git.example.com:8443", username: "ann", password: "other" },
      ],
    };
    const asked = (about: string): string => inShell(keys, "git credential fill", about);
    expect(asked("protocol=https\nhost=git.example.com\n\n")).toContain("username=ann\npassword=canary one=two\n");
    expect(asked("protocol=https\nhost=git.example.com:8443\n\n")).toContain("password=other\n");
    for (const about of ["protocol=http\nhost=git.example.com\n\n", "protocol=https\nhost=evil.example.com\n\n"])
      expect(inShell(keys, "GIT_TERMINAL_PROMPT=0 git credential fill", about)).not.toMatch(/canary|other/);
  });

  it("answers nobody with what a name was made to say in place of a host", () => {
    const broken = { host: "git.example.com", username: "ann\nx\nevil.example.com\nann", password: "canary" };
    const keys = { credentials: [broken, { host: "other.example.com", username: "ann", password: "other" }] };
    const asked = (host: string): string =>
      inShell(keys, "GIT_TERMINAL_PROMPT=0 git credential fill", `protocol=https\nhost=${host}\n\n`);
    for (const host of ["evil.example.com", "git.example.com", "GIT.example.com", "git.example.com:443"])
      expect(asked(host), host).not.toContain("canary");
    expect(asked("other.example.com")).toContain("password=other\n");
  });

  it("says which of it cannot be opened", () => {
    expect(keepsNothing({ ...NO_KEYS, locked: ["TOKEN"] })).toBe(false);
    expect(inShell({}, "")).toBe("");
    const said = inShell({ locked: ["SSH key", "git.example.com", "$(touch ran)"] }, "echo IDE");
    expect(said).toContain("[codehub] cannot be opened, so it is not here: SSH key, git.example.com, $(touch ran).");
    expect(said).toContain("IDE\n");
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  it("has a project's variables below the person's own, and these and its commands only where they are agreed to", async () => {
    const { plan } = projectOf({
      remoteEnv: { A: "project", B: "project", PORT: "1" },
      postStartCommand: 'echo ran > "$HOME/ran"',
    });
    const variables = [{ name: "B", value: "own" }];
    // At once: what commands tell of themselves comes in between.
    const told = 'printf "%s %s %s\\n" "$A" "$B" "$(grep -c PORT "$CODEHUB_FILES/shell")"';
    // Variables run programs, too: git, Node and Python each have some that do.
    expect(inShell({ variables }, told, "", { plan, allowed: false })).toBe(" own 0\n");
    expect(existsSync(join(folder, "ran"))).toBe(false);
    expect(inShell({ variables }, told, "", { plan, allowed: true })).toContain("project own 1\n");
    await expect.poll(() => existsSync(join(folder, "ran"))).toBe(true);
  });

  it("has a project's extensions and settings for the IDE only where these are agreed to", () => {
    const { plan } = projectOf({
      customizations: { vscode: { extensions: ["team.tool"], settings: { "a.b": "it's" } } },
    });
    const script = (allowed: boolean) =>
      setupFiles(NO_KEYS, { plan, allowed }, RUNNING).find(({ path }) => path === "run-project")?.content;
    expect(script(false)).toBeUndefined();
    const text = new TextDecoder().decode(script(true));
    expect(text).toContain("for each in 'team.tool'; do");
    expect(text).toContain(`'{"a.b":"it'\\''s"}'`);
  });

  it("installs a person's dotfiles once for this home, in the background", async () => {
    mkdirSync(join(folder, ".dotfiles"));
    const dotfiles = { address: "https://git.example.com/ann/dotfiles", command: 'echo "it\'s $(pwd)" >> ~/installed' };
    const installed = () => readFileSync(join(folder, "installed"), "utf8");
    const marked = () => readdirSync(join(folder, ".local/state/codehub/done")).length;
    inShell({ dotfiles }, "");
    await expect.poll(() => existsSync(join(folder, ".local/state/codehub/done")) && marked()).toBe(1);
    expect(installed()).toBe(`it's ${folder}/.dotfiles\n`);
    expect(inShell({ dotfiles }, "")).toContain('"already"');
    expect(installed()).toBe(`it's ${folder}/.dotfiles\n`);
  });

  it("gives a person's own commands nothing of a project that is not agreed to", async () => {
    mkdirSync(join(folder, ".dotfiles"));
    const { plan } = projectOf({ remoteEnv: { OF_THE_PROJECT: "foreign" }, postStartCommand: "true" });
    const dotfiles = { address: "https://git.example.com/ann/dotfiles", command: 'echo "<$OF_THE_PROJECT>" > ~/seen' };
    const seen = () => existsSync(join(folder, "seen")) && readFileSync(join(folder, "seen"), "utf8");
    inShell({ dotfiles }, "", "", { plan, allowed: false });
    await expect.poll(seen).toBe("<>\n");
  });

  it("gives the key to an agent and leaves no file of it", () => {
    spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, "made")]);
    const privateKey = spawnSync("cat", [join(folder, "made")], { encoding: "utf8" }).stdout;
    const said = inShell(
      { sshKey: { privateKey, publicKey: "" } },
      'ssh-add -l; ls "$CODEHUB_FILES"; kill "$(pgrep -n -x ssh-agent)"',
    );
    expect(said).toContain("ED25519");
    expect(said.split("\n")).not.toContain("ssh-key");
  });
});
