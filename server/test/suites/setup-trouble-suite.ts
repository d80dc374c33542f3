import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Prepared, PrepareProgress, PrepareSpec } from "#ports/jobs.ts";
import { type GitHttpServer, startGitHttp } from "../git/http-server.ts";
import { git, makeRepository } from "../git/repositories.ts";
import { exists, restingHome, type SetupJobsHarness, specFor, temporaryIn } from "./setup-jobs-suite.ts";

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"4d".repeat(32)}\nsize 12345\n`;
const never = new AbortController().signal;

/** What can go wrong on the way to a repository. */
export function setupTroubleSuite(
  name: string,
  address: string,
  make: (ports: readonly number[]) => Promise<SetupJobsHarness>,
): void {
  describe(`setup jobs in trouble: ${name}`, () => {
    let harness: SetupJobsHarness;
    let root: string;
    let server: GitHttpServer;
    let other: GitHttpServer;
    beforeAll(async () => {
      root = mkdtempSync(join(tmpdir(), "codehub-git-"));
      makeRepository(root, "app.git", { files: { "big.bin": randomBytes(3_000_000), "a.txt": "a\n" } });
      makeRepository(root, "lib.git", { files: { "lib.txt": "lib\n" } });
      makeRepository(root, "large.git", { files: { ".gitattributes": "*.psd filter=lfs -text\n", "a.psd": POINTER } });
      makeRepository(root, "broken.git", {
        submodules: { lib: "../missing.git" },
        files: { "README.md": "# Broken\n" },
      });
      server = await startGitHttp({ root, address });
      other = await startGitHttp({ root, address });
      harness = await make([server, other].map(({ host }) => Number(host.split(":").at(-1))));
    });
    afterEach(() => server.trouble(null));
    afterAll(async () => {
      await server?.[Symbol.asyncDispose]();
      await other?.[Symbol.asyncDispose]();
      await harness?.close();
      rmSync(root, { recursive: true, force: true });
    });

    const prepare = async (
      spec: PrepareSpec,
      onProgress: (progress: PrepareProgress) => void = () => {},
    ): Promise<Prepared & { home: string }> => {
      const prepared = await harness.setup.prepare(spec, { onProgress, signal: never });
      const home = harness.homePath(spec.volume);
      expect(await temporaryIn(home)).toEqual([]);
      return { ...prepared, home };
    };
    const from = async (name: string, env: Record<string, string> = {}) =>
      prepare(specFor(await restingHome(harness), `${server.url}/${name}.git`, { env }));
    const asked = (path: RegExp): number =>
      server.requests.filter((one) => path.test(`${one.path}?${one.query}`)).length;

    it("keeps the project when one of its submodules is missing", async () => {
      const found = await from("broken");
      expect(found).toMatchObject({ folder: "app", failure: null, partial: [{ step: "submodules" }] });
      expect(await exists(join(found.home, "app/README.md"))).toBe(true);
    });

    it("keeps pointers where the host does not give out what git-lfs keeps", async () => {
      const found = await from("large");
      expect(found).toMatchObject({ folder: "app", failure: null, partial: [{ step: "lfs" }] });
      expect(await readFile(join(found.home, "app/a.psd"), "utf8")).toBe(POINTER);
      expect(git(join(found.home, "app"), "status", "--porcelain")).toBe("");
    });

    it("tries three times when a pack is cut, and says what git said", async () => {
      server.trouble({ kind: "cut", afterBytes: 200_000 }, /upload-pack\?$/);
      const before = asked(/info\/refs/);
      const found = await from("app");
      expect(found).toMatchObject({ folder: null, failure: { step: "cloning" } });
      expect(found.failure?.said).toMatch(/early EOF|unexpected disconnect|transfer closed/);
      expect(asked(/info\/refs/) - before).toBe(3);
    });

    it("gets through when the trouble passes", async () => {
      server.trouble({ kind: "status", status: 503 });
      const before = asked(/info\/refs/);
      const getting = from("app");
      await expect.poll(() => asked(/info\/refs/) - before, { timeout: 20_000 }).toBeGreaterThan(0);
      server.trouble(null);
      expect(await getting).toMatchObject({ folder: "app", failure: null });
    });

    it("does not wait for a host that says nothing", async () => {
      server.trouble({ kind: "hang" });
      const found = await from("app", { CODEHUB_PREPARE_SILENCE_SECONDS: "1" });
      expect(found.failure?.said).toMatch(/too slow/);
    });

    it("does not ask again for what was refused", async () => {
      server.trouble({ kind: "status", status: 404 });
      const before = asked(/info\/refs/);
      expect((await from("app")).failure?.said).toContain("not found");
      expect(asked(/info\/refs/) - before).toBe(1);
    });

    it("follows a redirect to another host", async () => {
      server.trouble({ kind: "redirect", to: other.url });
      expect(await from("lib")).toMatchObject({ folder: "app", failure: null });
      expect(other.requests.every(({ user }) => user === null)).toBe(true);
    });
  });
}
