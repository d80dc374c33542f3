import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Client, Workspace } from "@codehub/contract";
import { apiAs } from "../test/e2e/accounts.ts";
import { startProgram } from "../test/e2e/program.ts";
import { startGitHttp } from "../test/git/http-server.ts";
import { git, gitEnvironment, makeRepository } from "../test/git/repositories.ts";
import { BareIde } from "./open/peer.ts";
import type { BenchResult } from "./result.ts";
import { median } from "./shared/median.ts";

const execute = promisify(execFile);
const ROUNDS = Number(process.env["CREATE_BENCH_ROUNDS"] ?? 5);
const FILES = 400;
const FILE_BYTES = 48 * 1024;
const LIMIT_MS = 120_000;
const ASK_MS = 20;

/**
 * From the click on "create" with a repository until the IDE answers with the project in its home, against `git clone` of the same
 * repository by hand and then starting the same IDE by hand. In turns, from the same server on this machine; the real IDE as a process.
 */
export async function run(): Promise<BenchResult> {
  const root = await mkdtemp(path.join(tmpdir(), "codehub-bench-create-"));
  const { commit } = makeRepository(root, "project", { files: someFiles() });
  await using server = await startGitHttp({ root });
  const program = await startProgram({ GIT_HTTP_HOSTS: server.host });
  try {
    const api = await apiAs(program.url);
    await using peer = await BareIde.prepare();
    const address = `${server.url}/project`;
    const ours: Created[] = [];
    const byHand: { readonly clone: number; readonly ide: number }[] = [];
    // The first of each is slower than all others: files are read for the first time.
    for (let round = 0; round <= ROUNDS; round++) {
      const made = await create(api, address, commit, program.dataDir);
      const hand = { clone: await cloneByHand(root, address), ide: await peer.start() };
      if (round === 0) continue;
      ours.push(made);
      byHand.push(hand);
    }
    return {
      metrics: {
        repository_mb: (FILES * FILE_BYTES) / 1e6,
        create_s: median(ours.map(({ total }) => total)),
        create_clone_s: median(ours.map(({ clone }) => clone)),
        hand_clone_s: median(byHand.map(({ clone }) => clone)),
        hand_ide_s: median(byHand.map(({ ide }) => ide)),
      },
      ratios: {
        by_hand: median(ours.map(({ total }, round) => handOf(byHand[round]) / total)),
      },
    };
  } finally {
    await program.stop();
    await rm(root, { recursive: true, force: true });
  }
}

const handOf = (hand: { readonly clone: number; readonly ide: number } | undefined): number =>
  (hand?.clone ?? Number.NaN) + (hand?.ide ?? Number.NaN);

/** Of bytes that nothing makes smaller. */
const someFiles = (): Record<string, Buffer> =>
  Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [`src/${index % 20}/file-${index}.bin`, randomBytes(FILE_BYTES)]),
  );

interface Created {
  readonly total: number;
  readonly clone: number;
}

async function create(api: Client, repository: string, commit: string, dataDir: string): Promise<Created> {
  const begun = performance.now();
  const { id } = await api.createWorkspace({ body: { name: "bench", repository } });
  const made = await untilRunning(api, id);
  const total = (performance.now() - begun) / 1_000;
  if (made.setup?.state !== "ready" || made.setup.commit !== commit)
    throw new Error(`the repository is not there: ${JSON.stringify(made.setup)}`);
  await requireFiles(dataDir, id);
  await api.deleteWorkspace({ params: { id }, query: { purge: true, confirm: "bench" } });
  return { total, clone: made.setup.took_seconds ?? Number.NaN };
}

async function untilRunning(api: Client, id: string): Promise<Workspace> {
  for (const deadline = performance.now() + LIMIT_MS; performance.now() < deadline; await delay(ASK_MS)) {
    const seen = await api.getWorkspace({ params: { id } });
    if (seen.phase === "RUNNING" && seen.operation === "NONE") return seen;
    if (seen.phase === "ERROR") throw new Error(`the workspace is in error: ${seen.error?.message}`);
  }
  throw new Error("two minutes have passed, and still the workspace does not run");
}

/** What is quick has to be right, too. */
async function requireFiles(dataDir: string, id: string): Promise<void> {
  const [volume = ""] = (await readdir(path.join(dataDir, "volumes"))).filter((name) => name.startsWith(`ws-${id}`));
  const project = path.join(dataDir, "volumes", volume, "home", "project");
  const files = await readdir(path.join(project, "src"), { recursive: true });
  const count = files.filter((file) => file.endsWith(".bin")).length;
  if (count !== FILES) throw new Error(`${count} files are there instead of ${FILES}`);
  if (git(project, "status", "--porcelain") !== "") throw new Error("the project is not as it was committed");
}

async function cloneByHand(root: string, address: string): Promise<number> {
  const into = await mkdtemp(path.join(root, "by-hand-"));
  const begun = performance.now();
  // The server it asks is in this process.
  await execute("git", ["clone", "--quiet", address, "project"], {
    cwd: into,
    env: { ...process.env, ...gitEnvironment },
  });
  const took = (performance.now() - begun) / 1_000;
  await rm(into, { recursive: true, force: true });
  return took;
}
