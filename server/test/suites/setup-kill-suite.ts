import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PrepareStep } from "#ports/jobs.ts";
import { type GitHttpServer, startGitHttp } from "../git/http-server.ts";
import { git, makeRepository } from "../git/repositories.ts";
import { restingHome, type SetupJobsHarness, specFor, temporaryIn } from "./setup-jobs-suite.ts";

const MOST_TRIES = 8;
/** So many that reading them takes a moment. */
const READ = 2_000;
const never = new AbortController().signal;

/** A job that is killed at each of its steps. Its processes are seen from here, also those in containers. */
export function setupKillSuite(
  name: string,
  address: string,
  make: (ports: readonly number[]) => Promise<SetupJobsHarness>,
): void {
  describe(`setup jobs that are killed: ${name}`, () => {
    let harness: SetupJobsHarness;
    let root: string;
    let server: GitHttpServer;
    beforeAll(async () => {
      root = mkdtempSync(join(tmpdir(), "codehub-git-"));
      makeParent(root);
      server = await startGitHttp({ root, address });
      harness = await make([Number(server.host.split(":").at(-1))]);
    });
    afterAll(async () => {
      await server?.[Symbol.asyncDispose]();
      await harness?.close();
      rmSync(root, { recursive: true, force: true });
    });

    /** The last step may be over before it was heard of: then it is another home's turn. */
    const killedWhile = async (step: PrepareStep) => {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const home = await restingHome(harness);
        const spec = specFor(home, `${server.url}/parent.git`);
        let hit = false;
        const killed = harness.setup.prepare(spec, {
          signal: never,
          onProgress: (progress) => {
            if (progress.step !== step) return;
            // The program alone, as the kernel would when memory is short: what it started has to be found.
            for (const pid of processesAbout(home.attempt, /main\.ts/)) hit = process.kill(pid, "SIGKILL");
          },
        });
        const failed = await killed.then(
          () => null,
          (error: object) => error,
        );
        if (failed === null && step === "reading") continue;
        expect(hit).toBe(true);
        expect(failed).toMatchObject({ reason: "ActionFailed" });
        return { home, spec };
      }
      throw new Error(`The job was never heard of while it was ${step}.`);
    };

    it.each<PrepareStep>(["cloning", "checking_out", "submodules", "reading"])(
      "killed while %s, it leaves nothing that is in the way of the next",
      async (step) => {
        const { home, spec } = await killedWhile(step);
        expect(processesAbout(home.attempt)).toEqual([]);
        expect(await harness.jobs.find(home.workspaceId)).toEqual([]);
        const second = await harness.setup.prepare(
          { ...spec, attempt: randomUUID() },
          { onProgress: () => {}, signal: never },
        );
        const place = harness.homePath(spec.volume);
        expect(second).toMatchObject({ folder: "app", failure: null, partial: [] });
        expect(await temporaryIn(place)).toEqual([]);
        expect(await readFile(join(place, "app/lib/lib.txt"), "utf8")).toBe("lib\n");
      },
    );
  });
}

/** With a submodule beside it. */
function makeParent(root: string): void {
  makeRepository(root, "lib.git", { files: { "lib.txt": "lib\n" } });
  const read = Array.from({ length: READ }, (_, index) => [`.devcontainer/of-${index}/devcontainer.json`, "{}\n"]);
  const files = { "README.md": "# Parent\n", ...Object.fromEntries(read) };
  makeRepository(root, "parent.git", { submodules: { lib: "../lib.git" }, files });
  const work = mkdtempSync(join(tmpdir(), "codehub-parent-"));
  git(work, "clone", "--quiet", join(root, "parent.git"), ".");
  const commit = git(join(root, "lib.git"), "rev-parse", "main");
  git(work, "update-index", "--cacheinfo", `160000,${commit},lib`);
  git(work, "commit", "--quiet", "--message", "The submodule as it is");
  git(work, "push", "--quiet", "origin", "main");
  rmSync(work, { recursive: true });
}

/** Processes whose command line names this attempt, and says this. */
export function processesAbout(attempt: string, says = /./): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return line.includes(attempt) && says.test(line);
      } catch {
        return false;
      }
    })
    .map(Number);
}
