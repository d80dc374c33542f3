import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@codehub/contract";
import { IdeInstall } from "#adapters/process/ide-install.ts";
import { IDE_IMAGE, JOB_IMAGE } from "../test/docker/docker-harness.ts";
import { startEngine } from "../test/docker/private-engine.ts";
import { apiAs, sessionCookies } from "../test/e2e/accounts.ts";
import { startProgram } from "../test/e2e/program.ts";
import { cacheDir } from "../test/runtime/cache-dir.ts";
import type { BenchResult } from "./result.ts";
import { Visitor } from "./shared/visit.ts";
import { type Question, startAsking } from "./storm/probe.ts";
import { startRaw } from "./storm/raw.ts";

const COUNT = Number(process.env["STORM_BENCH_WORKSPACES"] ?? 48);
const QUIET_MS = 10_000;
const LIMIT_MS = 280_000;

/**
 * Many workspaces created at once, with the real IDE on Docker: how long until all of them answer, against as many made by
 * hand with two for each core at once; and how much longer the health check, a list and a request to an IDE that already
 * runs take meanwhile. Every answer is looked at. The same is asked while they are made by hand: both have the same to put up with.
 */
export async function run(): Promise<BenchResult> {
  await new IdeInstall(await cacheDir("ide")).ensure(() => {}, new AbortController().signal);
  await using engine = await startEngine("ide");
  // The first containers of an image are slower than all others: its files are read for the first time.
  await startRaw(engine.host, 2);
  const program = await startProgram({
    RUNTIME: "docker",
    DOCKER_HOST: engine.host,
    DEFAULT_IMAGE: IDE_IMAGE,
    JOB_IMAGE,
    // With --cpu-prof in it, the server's own profile is written too.
    NODE_OPTIONS: process.env["NODE_OPTIONS"] ?? "",
    LIMITS_MAX_RUNNING_PER_USER: String(COUNT + 1),
    LIMITS_MAX_RUNNING_GLOBAL: String(COUNT + 1),
  });
  try {
    const api = await apiAs(program.url);
    const questions = await openQuestions(program.url, api);
    const quiet = await asked(questions, () => delay(QUIET_MS));
    let [rawSeconds, seconds] = [Number.NaN, Number.NaN];
    const raw = await asked(questions, async () => {
      rawSeconds = await startRaw(engine.host, COUNT);
    });
    const storm = await asked(questions, async () => {
      seconds = await createAll(api);
    });
    return {
      metrics: {
        workspaces: COUNT,
        ours_ready_s: seconds,
        raw_ready_s: rawSeconds,
        ...named("quiet_p95_ms", quiet),
        ...named("raw_p95_ms", raw),
        ...named("storm_p95_ms", storm),
      },
      ratios: {
        raw_engine: rawSeconds / seconds,
        readyz_quiet: quiet.readyz / storm.readyz,
        list_quiet: quiet.list / storm.list,
        ide_quiet: quiet.ide / storm.ide,
      },
    };
  } finally {
    await program.stop();
  }
}

type Questions = Readonly<Record<"readyz" | "list" | "ide", Question>>;

async function asked(
  questions: Questions,
  work: () => Promise<void>,
): Promise<Readonly<Record<keyof Questions, number>>> {
  const stop = startAsking(questions);
  await work();
  return await stop();
}

const named = (unit: string, values: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${name}_${unit}`, value]));

/** One workspace that runs before the storm, and what is asked during it. */
async function openQuestions(url: string, api: Client): Promise<Questions> {
  const { id, address } = await api.createWorkspace({ body: { name: "before the storm", desired_state: "RUNNING" } });
  await allRun(api, 1);
  const visitor = new Visitor(url, await sessionCookies(url));
  const page = await visitor.open(`${url}/w/${id}/`);
  if (!page.body.includes("code-server")) throw new Error(`the IDE did not open: ${page.status} ${page.body}`);
  const health = new URL("/healthz", address?.url).href;
  return {
    readyz: async () => {
      const answer = await fetch(`${url}/readyz`);
      if (!answer.ok) throw new Error(`not ready: ${await answer.text()}`);
      await answer.arrayBuffer();
    },
    list: async () => {
      const { items } = await api.listWorkspaces({ query: { limit: 100, view: "summary" } });
      if (!items.some((item) => item.id === id)) throw new Error("the list lacks a workspace");
    },
    ide: async () => {
      const { status, body } = await visitor.ask(health);
      if (status !== 200 || !/^\{"status":"(alive|expired)"/.test(body))
        throw new Error(`the IDE said ${status} ${body}`);
    },
  };
}

async function createAll(api: Client): Promise<number> {
  const begun = performance.now();
  const names = Array.from({ length: COUNT }, (_, index) => `storm ${index}`);
  await Promise.all(names.map((name) => api.createWorkspace({ body: { name, desired_state: "RUNNING" } })));
  await allRun(api, COUNT + 1);
  return (performance.now() - begun) / 1_000;
}

/** RUNNING is said of what was seen to answer. */
async function allRun(api: Client, count: number): Promise<void> {
  for (const deadline = performance.now() + LIMIT_MS; performance.now() < deadline; await delay(100)) {
    const { items } = await api.listWorkspaces({ query: { limit: 100, view: "summary" } });
    const failed = items.find(({ phase }) => phase === "ERROR");
    if (failed !== undefined) throw new Error(`a workspace failed: ${JSON.stringify(failed)}`);
    if (items.filter(({ phase, operation }) => phase === "RUNNING" && operation === "NONE").length === count) return;
  }
  throw new Error("not all of them run");
}
