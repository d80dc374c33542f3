import { setTimeout as delay } from "node:timers/promises";
import { apiAs, sessionCookies } from "../test/e2e/accounts.ts";
import { type Program, startProgram } from "../test/e2e/program.ts";
import type { BenchResult } from "./result.ts";
import { median } from "./shared/median.ts";
import { Visitor } from "./shared/visit.ts";

const ROUNDS = 3;
/** How far into the start of a workspace the server is killed. */
const KILLED_AFTER_MS = 150;
const LIMIT_MS = 60_000;
const NAME = "bench";

/**
 * The server is killed 150 ms into the start of a workspace and started again: how long until its API answers, and how long
 * from then until the IDE does, asked through the proxy. In turns with a plain start of the same workspace, so that both
 * have the same weather. The real IDE, as a process of this machine.
 */
export async function run(): Promise<BenchResult> {
  const program = await startProgram();
  try {
    const workspace = await openWorkspace(program.url);
    // The first start is slower than all others: files are read for the first time.
    await plainStart(workspace);
    const plain: number[] = [];
    const recovered: Recovery[] = [];
    const restarted: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      plain.push(await plainStart(workspace));
      recovered.push(await recovery(program, workspace));
      restarted.push(await restart(program, workspace));
    }
    const [plainStartS, apiToIde] = [median(plain), median(recovered.map((one) => one.apiToIde))];
    return {
      metrics: {
        api_to_ide_s: apiToIde,
        kill_to_ide_s: median(recovered.map((one) => one.apiBack + one.apiToIde)),
        api_back_s: median([...recovered.map((one) => one.apiBack), ...restarted]),
        plain_start_s: plainStartS,
      },
      ratios: { plain_start: plainStartS / apiToIde },
    };
  } finally {
    await program.stop();
  }
}

interface SeenWorkspace {
  readonly wish: (desired: "RUNNING" | "STANDBY") => Promise<void>;
  /** The API answers, with this workspace. */
  readonly api: () => Promise<void>;
  /** The IDE itself answers, through the proxy. */
  readonly ide: () => Promise<void>;
  readonly rest: () => Promise<void>;
}

async function openWorkspace(url: string): Promise<SeenWorkspace> {
  const api = await apiAs(url);
  const { id } = await api.createWorkspace({ body: { name: NAME, desired_state: "RUNNING" } });
  const reaches = (phase: string) =>
    until(`the workspace is ${phase}`, async () => {
      const seen = await api.getWorkspace({ params: { id } });
      return seen.phase === phase && seen.operation === "NONE";
    });
  const wish = async (desired_state: "RUNNING" | "STANDBY") =>
    void (await api.updateWorkspace({ params: { id }, body: { desired_state } }));
  const rest = async () => {
    await wish("STANDBY");
    await reaches("STANDBY");
  };
  await reaches("RUNNING");
  const visitor = new Visitor(url, await sessionCookies(url));
  const page = await visitor.open(`${url}/w/${id}/`);
  if (!page.body.includes("code-server")) throw new Error(`the IDE did not open: ${page.status} ${page.body}`);
  await rest();
  const { protocol, port } = new URL(url);
  const health = `${protocol}//${id}.localhost:${port}/healthz`;
  return {
    wish,
    api: () => until("the API answers", async () => (await api.getWorkspace({ params: { id } })).name === NAME),
    ide: () =>
      until("the IDE answers", async () => {
        const { status, body } = await visitor.ask(health);
        return status === 200 && /^\{"status":"(alive|expired)"/.test(body);
      }),
    rest,
  };
}

/** Asked again at once: nothing tells those who are outside. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + LIMIT_MS; performance.now() < deadline; await delay(10)) {
    if (await isSo().catch(() => false)) return;
  }
  throw new Error(`a minute has passed, and still not: ${what}`);
}

const secondsSince = (begun: number): number => (performance.now() - begun) / 1_000;

async function plainStart(workspace: SeenWorkspace): Promise<number> {
  const begun = performance.now();
  await workspace.wish("RUNNING");
  await workspace.ide();
  const took = secondsSince(begun);
  await workspace.rest();
  return took;
}

interface Recovery {
  readonly apiBack: number;
  readonly apiToIde: number;
}

async function recovery(program: Program, workspace: SeenWorkspace): Promise<Recovery> {
  await workspace.wish("RUNNING");
  await delay(KILLED_AFTER_MS);
  const apiBack = await restart(program, workspace);
  const answered = performance.now();
  await workspace.ide();
  const apiToIde = secondsSince(answered);
  await workspace.rest();
  return { apiBack, apiToIde };
}

/** From the end of a killed server to an answer of its API. */
async function restart(program: Program, workspace: SeenWorkspace): Promise<number> {
  await program.crash();
  const killed = performance.now();
  await program.start();
  await workspace.api();
  return secondsSince(killed);
}
