import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type GitEnding, gitFailure } from "#core/repository/git-words.ts";
import { type GitHttpServer, startGitHttp } from "./http-server.ts";
import { gitAvailable, gitEnvironment, makeRepository } from "./repositories.ts";
import { type GitSshServer, type KeyPair, makeKey, sshdAvailable, startGitSsh } from "./ssh-server.ts";

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"4d".repeat(32)}\nsize 12345\n`;

const root = mkdtempSync(path.join(tmpdir(), "codehub-git-"));
const work = path.join(root, "work");
let http: GitHttpServer;
let clones = 0;

/** As the clone of a workspace runs it: nobody is asked, and a server that is silent is given up. */
const limits = ["-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=1"];
const helper = (password: string): string[] => [
  "-c",
  `credential.helper=!f() { test "$1" = get && echo username=ann && echo password=${password}; }; f`,
];

async function said(about: Partial<GitEnding>, cwd: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn("git", [...limits, ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: work, ...gitEnvironment, GIT_ASKPASS: "", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += String(chunk);
  });
  const [exitCode] = await once(child, "close");
  const ending = { step: "clone", host: "HOST", wanted: null, names: [], ...about } as const;
  return { exitCode, failure: gitFailure({ ...ending, exitCode, lines: text.split(/[\r\n]+/) }) };
}

const clone = (url: string, options: readonly string[] = [], env: Record<string, string> = {}) =>
  said({ names: ["main", "develop"] }, work, [...options, "clone", "--", url, `clone-${clones++}`], env);

beforeAll(async () => {
  mkdirSync(work);
  writeFileSync(path.join(root, "empty"), "");
  if (!gitAvailable()) return;
  makeRepository(root, "app.git", { files: { "big.bin": randomBytes(400_000) }, branches: ["develop"] });
  makeRepository(root, "private/app.git");
  makeRepository(root, "parent.git", { submodules: { lib: "../missing.git" } });
  makeRepository(root, "large.git", { files: { ".gitattributes": "*.psd filter=lfs -text\n", "a.psd": POINTER } });
  http = await startGitHttp({ root });
});
afterEach(() => http?.trouble(null));
afterAll(async () => {
  await http?.[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});
describe.skipIf(!gitAvailable())("what git says of an http server", () => {
  test("nothing, when all is well", async () => {
    expect((await clone(`${http.url}/app.git`)).exitCode).toBe(0);
    expect((await clone(`${http.url}/private/app.git`, helper("right"))).exitCode).toBe(0);
  });

  test.each<[string, string, readonly string[]]>([
    ["needs_sign_in", "/private/app.git", []],
    ["credential_refused", "/private/app.git", helper("wrong")],
    ["not_found", "/nothing.git", []],
  ])("%s at %s", async (code, at, options) => {
    expect((await clone(http.url + at, options)).failure.code).toBe(code);
  });

  test("no_such_ref, with what is near", async () => {
    const { failure } = await said({ names: ["main", "develop"] }, work, [
      "clone",
      "-b",
      "develp",
      "--",
      `${http.url}/app.git`,
      "none",
    ]);
    expect(failure).toMatchObject({ code: "no_such_ref", fields: { name: "develp", near: "develop" } });
  });

  test.each<[string, number]>([
    ["forbidden", 403],
    ["not_found", 404],
    ["server_error", 429],
    ["server_error", 500],
    ["server_error", 503],
  ])("%s for %i", async (code, status) => {
    http.trouble({ kind: "status", status });
    expect((await clone(`${http.url}/app.git`)).failure.code).toBe(code);
  });

  test("broken_off, when the pack or the first answer is cut", async () => {
    http.trouble({ kind: "cut", afterBytes: 100_000 }, /git-upload-pack\?$/);
    expect((await clone(`${http.url}/app.git`)).failure).toMatchObject({ code: "broken_off", isPassing: true });
    http.trouble({ kind: "cut", afterBytes: 20 });
    expect((await clone(`${http.url}/app.git`)).failure).toMatchObject({ code: "broken_off", isPassing: true });
  });

  test("unreachable, when it is silent, gone, unknown or leads nowhere", async () => {
    http.trouble({ kind: "hang" });
    expect((await clone(`${http.url}/app.git`)).failure).toMatchObject({ code: "unreachable", isPassing: true });
    http.trouble({ kind: "redirect", to: "http://127.0.0.1:1" });
    expect((await clone(`${http.url}/app.git`)).failure.code).toBe("unreachable");
    expect((await clone("http://127.0.0.1:1/app.git")).failure.code).toBe("unreachable");
    expect((await clone("https://nowhere.invalid/app.git")).failure.code).toBe("unreachable");
  });

  test("a saved credential does not follow a redirect to another host", async () => {
    await using other = await startGitHttp({ root });
    http.trouble({ kind: "redirect", to: other.url });
    const only = ["-c", `credential.${http.url}.helper=!f() { echo username=ann; echo password=right; }; f`];
    expect((await clone(`${http.url}/private/app.git`, only)).failure.code).toBe("needs_sign_in");
    expect(other.requests.map(({ user }) => user)).toEqual([null]);
  });

  test("certificate and transport", async () => {
    expect((await clone(`${http.url.replace("http:", "https:")}/app.git`)).failure.code).toBe("certificate");
    const { failure } = await clone(path.join(root, "app.git"), [], { GIT_ALLOW_PROTOCOL: "https:ssh" });
    expect(failure).toMatchObject({ code: "transport", fields: { protocol: "file" } });
  });

  test("submodules and large files that are not there are notices", async () => {
    await said({}, work, ["clone", "--quiet", "--", `${http.url}/parent.git`, "parent"]);
    const update = ["submodule", "update", "--init", "--recursive"];
    const { failure } = await said({ step: "submodules" }, path.join(work, "parent"), update);
    expect(failure).toMatchObject({ code: "submodule_failed", fields: { path: "lib" }, isNotice: true });
    await said({}, work, ["clone", "--quiet", "--", `${http.url}/large.git`, "large"]);
    const pulled = await said({ step: "lfs" }, path.join(work, "large"), ["lfs", "pull"]);
    expect(pulled.failure.code).toMatch(/^lfs_(missing|failed)$/);
    expect(pulled.failure.isNotice).toBe(true);
  });
});

describe.skipIf(!gitAvailable() || !sshdAvailable())("what git and ssh say of an sshd", () => {
  let ssh: GitSshServer;
  let mine: KeyPair;
  let other: KeyPair;
  const known = path.join(root, "known");
  const using = (key: KeyPair, list: string): Record<string, string> => ({
    GIT_SSH_COMMAND: [
      `ssh -F /dev/null -i ${key.file} -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=yes`,
      `-o GlobalKnownHostsFile=/dev/null -o UserKnownHostsFile=${list}`,
    ].join(" "),
  });

  beforeAll(async () => {
    ssh = await startGitSsh(root);
    [mine, other] = [makeKey(root, "mine"), makeKey(root, "other")];
    ssh.authorize(mine.publicKey);
    writeFileSync(known, ssh.knownHost());
  });
  afterAll(async () => ssh[Symbol.asyncDispose]());

  test("nothing, when all is well", async () => {
    expect((await clone(`${ssh.url}/app.git`, [], using(mine, known))).exitCode).toBe(0);
  });

  test("key_unknown, not_found, host_key_unknown, unreachable", async () => {
    const code = async (url: string, key: KeyPair, list: string) =>
      (await clone(url, [], using(key, list))).failure.code;
    expect(await code(`${ssh.url}/app.git`, other, known)).toBe("key_unknown");
    expect(await code(`${ssh.url}/nothing.git`, mine, known)).toBe("not_found");
    expect(await code(`${ssh.url}/app.git`, mine, path.join(root, "empty"))).toBe("host_key_unknown");
    expect(await code("ssh://git@127.0.0.1:1/app.git", mine, known)).toBe("unreachable");
    expect(await code("ssh://git@nowhere.invalid/app.git", mine, known)).toBe("unreachable");
  });

  test("host_key_changed, with the fingerprint of the new one", async () => {
    await ssh.changeHostKey();
    const { failure } = await clone(`${ssh.url}/app.git`, [], using(mine, known));
    expect(failure.code).toBe("host_key_changed");
    expect(failure.fields["fingerprint"]).toMatch(/^SHA256:/);
  });
});
