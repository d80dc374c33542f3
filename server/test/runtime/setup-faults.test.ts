import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { PrepareRequest } from "#job-program/prepare-protocol.ts";
import { type JobReport, jobArguments } from "#job-program/protocol.ts";
import { type GitHttpServer, startGitHttp } from "../git/http-server.ts";
import { gitAvailable, makeRepository } from "../git/repositories.ts";
import { mayActAsRoot } from "../root.ts";
import { restingHome, specFor, temporaryIn } from "../suites/setup-jobs-suite.ts";
import { processesAbout, setupKillSuite } from "../suites/setup-kill-suite.ts";
import { setupTroubleSuite } from "../suites/setup-trouble-suite.ts";
import { processSetupHarness } from "./setup-harness.ts";

const PROGRAM = fileURLToPath(import.meta.resolve("#job-program/prepare/main.ts"));
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"4d".repeat(32)}\nsize 12345\n`;
const never = new AbortController().signal;

describe.skipIf(!gitAvailable())("with git", () => {
  setupTroubleSuite("process", "127.0.0.1", () => processSetupHarness());
  setupKillSuite("process", "127.0.0.1", () => processSetupHarness());
});

/** What only processes can have, and the program that every runtime starts. */
describe.skipIf(!gitAvailable())("setup jobs as processes", () => {
  let harness: Awaited<ReturnType<typeof processSetupHarness>>;
  let root: string;
  let server: GitHttpServer;
  beforeAll(async () => {
    harness = await processSetupHarness();
    root = mkdtempSync(join(tmpdir(), "codehub-git-"));
    makeRepository(root, "app.git", { files: { "a.txt": "a\n" } });
    makeRepository(root, "full.git", { files: { "big.bin": randomBytes(3_000_000) } });
    makeRepository(root, "lib.git", { files: { "lib.txt": "lib\n" } });
    makeRepository(root, "large.git", { files: { ".gitattributes": "*.psd filter=lfs -text\n", "a.psd": POINTER } });
    server = await startGitHttp({ root });
  });
  afterEach(() => server.trouble(null));
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await harness?.close();
    rmSync(root, { recursive: true, force: true });
  });

  it("goes on when another workspace of its owner ends, which takes all that is left of the account", async () => {
    const [one, other] = [await restingHome(harness), await restingHome(harness)];
    const { containerId } = await harness.runtime.start(
      { ...other, ownerId: one.ownerId, imageRef: "any", env: {} },
      never,
    );
    server.trouble({ kind: "hang" }, /upload-pack\?$/);
    const begun = Promise.withResolvers<void>();
    const preparing = harness.setup.prepare(specFor(one, `${server.url}/lib.git`), {
      onProgress: () => begun.resolve(),
      signal: never,
    });
    preparing.catch(() => {});
    await begun.promise;
    await harness.runtime.remove(containerId, 0);
    expect(await harness.jobs.find(one.workspaceId)).toEqual([one.attempt]);
    await harness.jobs.end(one.workspaceId);
    await expect(preparing).rejects.toMatchObject({ reason: "ActionFailed" });
  });

  it.runIf(mayActAsRoot("a disk that is full"))(
    "says that the disk is full, also where the host of the dotfiles is gone, and gets it when there is room",
    async () => {
      const home = await restingHome(harness);
      const place = harness.homePath(home.volume);
      const { uid } = await stat(place);
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=1m,mode=0700,uid=${uid},gid=${uid}`, "tmpfs", place]);
      const spec = specFor(home, `${server.url}/full.git`, { dotfiles: "http://127.0.0.1:1/dotfiles.git" });
      const quiet = { onProgress: () => {}, signal: never };
      try {
        const full = await harness.setup.prepare(spec, quiet);
        expect(full).toMatchObject({ folder: null, failure: { step: expect.stringMatching(/cloning|checking_out/) } });
        expect(full.failure?.said).toContain("No space left on device");
        expect(await temporaryIn(place)).toEqual([]);
      } finally {
        execFileSync("umount", [place]);
      }
      const roomy = await harness.setup.prepare({ ...spec, attempt: randomUUID() }, quiet);
      expect(roomy).toMatchObject({ folder: "app", failure: null, partial: [{ step: "dotfiles" }] });
    },
  );

  describe("the program itself", () => {
    const start = (request: Partial<PrepareRequest>, home: string, env: Record<string, string> = {}): ChildProcess => {
      const whole: PrepareRequest = {
        ...{ kind: "prepare", attempt: randomUUID(), cloneUrl: `${server.url}/app.git`, protocol: "http" },
        ...{ host: server.host, ref: null, folder: "app", dotfiles: null },
        ...request,
      };
      return spawn(process.execPath, ["--no-warnings", PROGRAM, ...jobArguments(whole)], {
        stdio: ["ignore", "ignore", "pipe"],
        env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
      });
    };
    const reports = async (child: ChildProcess): Promise<JobReport[]> =>
      (await text(child.stderr as Readable))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    const makeHome = (): string => mkdtempSync(join(root, "home-"));

    it("ends git and all it started when it is asked to end", async () => {
      const [home, attempt] = [makeHome(), randomUUID()];
      server.trouble({ kind: "hang" }, /upload-pack\?$/);
      const child = start({ attempt }, home);
      const said = reports(child);
      await expect.poll(() => processesAbout(attempt, /^git\0/).length, { timeout: 20_000 }).toBeGreaterThan(0);
      child.kill("SIGTERM");
      const [code] = await once(child, "exit");
      expect(code).toBe(1);
      expect((await said).at(-1)).toMatchObject({ failure: { reason: "ActionFailed" } });
      expect(processesAbout(attempt)).toEqual([]);
      expect(await temporaryIn(home)).toEqual([]);
    });

    it("says that there is no git-lfs", async () => {
      const home = makeHome();
      const programs = join(home, "bin");
      mkdirSync(programs);
      for (const name of ["git", "sh", "ssh", "sed", "basename", "cat"]) symlinkSync(which(name), join(programs, name));
      const said = await reports(start({ cloneUrl: `${server.url}/large.git` }, home, { PATH: programs }));
      expect(said.at(-1)).toMatchObject({
        prepared: { failure: null, partial: [{ step: "lfs", said: expect.stringContaining("1 file is a pointer") }] },
      });
    });

    it.each<[string, Partial<PrepareRequest>]>([
      ["an option", { cloneUrl: "--upload-pack=touch /tmp/x" }],
      ["a path", { cloneUrl: "/etc" }],
      ["a file", { cloneUrl: "file:///etc" }],
      ["a command", { cloneUrl: "ext::sh -c id" }],
      ["a folder outside", { folder: "../app" }],
      ["a ref that is an option", { ref: { kind: "pull", ref: "--output=x", branch: "pr-1" } }],
      ["dotfiles of nowhere", { dotfiles: "file:///etc" }],
    ])("refuses %s", async (_, request) => {
      const said = await reports(start(request, makeHome()));
      expect(said.at(-1)).toMatchObject({ failure: { reason: "ActionFailed" } });
    });

    it("says which git is too old", async () => {
      const home = makeHome();
      writeFileSync(join(home, "git"), "#!/bin/sh\necho git version 2.30.2\n", { mode: 0o755 });
      const said = await reports(start({}, home, { PATH: `${home}:/usr/bin:/bin` }));
      expect(said.at(-1)).toMatchObject({ failure: { message: expect.stringContaining("git 2.30.2 is too old") } });
    });
  });
});

const which = (name: string): string =>
  ["/usr/bin", "/bin"].map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name;
