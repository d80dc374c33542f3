import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { apiAs, sessionCookies } from "../test/e2e/accounts.ts";
import { type Program, startProgram } from "../test/e2e/program.ts";
import type { BenchResult } from "./result.ts";
import { median } from "./shared/median.ts";
import { Visitor } from "./shared/visit.ts";

const ROUNDS = 3;
/** How far into the start of a workspace the server is killed. */
const KILLED_AFTER_MS = 150;
const LIMIT_MS = 60_000;
const SOCKETS = 10;
const NAME = "bench";

/**
 * What serves the dashboard and leads is killed 150 ms into the start of a workspace, and its supervisor starts it again: how
 * long until its API answers, and how long from then until the IDE does, both asked through the proxy. Then it is killed while
 * the workspace runs: how many requests to the IDE fail meanwhile, and how many WebSockets to it end. In turns with
 * a plain start of the same workspace, so that all have the same weather. The real IDE, as a process of this machine.
 */
export async function run(): Promise<BenchResult> {
  const program = await startProgram();
  try {
    const workspace = await openWorkspace(program.url);
    // The first start is slower than all others: files are read for the first time.
    await plainStart(workspace);
    const plain: number[] = [];
    const recovered: Recovery[] = [];
    const restarted: Restart[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      plain.push(await plainStart(workspace));
      recovered.push(await recovery(program, workspace));
      // One that has just been killed waits before it is started once more; the next round is not to be about that.
      await program.stopAndStart();
      restarted.push(await restart(program, workspace));
      await program.stopAndStart();
    }
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const [plainStartS, apiToIde] = [median(plain), median(recovered.map((one) => one.apiToIde))];
    return {
      metrics: {
        api_to_ide_s: apiToIde,
        kill_to_ide_s: median(recovered.map((one) => one.apiBack + one.apiToIde)),
        api_back_s: median([...recovered, ...restarted].map((one) => one.apiBack)),
        plain_start_s: plainStartS,
        requests_meanwhile: sum(restarted.map((one) => one.answered)),
        requests_failed: sum(restarted.map((one) => one.failed)),
        websockets_cut: sum(restarted.map((one) => one.cut)),
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
  /** One request to the IDE: whether its answer was the right one. */
  readonly asked: () => Promise<boolean>;
  /** A WebSocket to the IDE that it has accepted. */
  readonly socket: () => Promise<WebSocket>;
  readonly rest: () => Promise<void>;
}

async function openWorkspace(url: string): Promise<SeenWorkspace> {
  const api = await apiAs(url);
  const { id, address } = await api.createWorkspace({ body: { name: NAME, desired_state: "RUNNING" } });
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
  const { host, port, origin, href: health } = new URL("/healthz", address?.url);
  const asked = async () => {
    const { status, body } = await visitor.ask(health);
    return status === 200 && /^\{"status":"(alive|expired)"/.test(body);
  };
  const socket = async () => {
    const opened = new WebSocket(`ws://127.0.0.1:${port}/?reconnectionToken=${randomUUID()}&reconnection=false`, {
      headers: { host, origin, cookie: visitor.cookies(host) },
    });
    opened.on("error", () => undefined);
    await once(opened, "open");
    return opened;
  };
  return {
    wish,
    api: () => until("the API answers", async () => (await api.getWorkspace({ params: { id } })).name === NAME),
    ide: () => until("the IDE answers", asked),
    asked: () => asked().catch(() => false),
    socket,
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
  const apiBack = await crash(program, workspace);
  const answered = performance.now();
  await workspace.ide();
  const apiToIde = secondsSince(answered);
  await workspace.rest();
  return { apiBack, apiToIde };
}

interface Restart {
  readonly apiBack: number;
  readonly answered: number;
  readonly failed: number;
  readonly cut: number;
}

/** With somebody at work in the workspace. */
async function restart(program: Program, workspace: SeenWorkspace): Promise<Restart> {
  await workspace.wish("RUNNING");
  await workspace.ide();
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => workspace.socket()));
  const outcomes: boolean[] = [];
  const working = new AbortController();
  const work = async () => {
    while (!working.signal.aborted) outcomes.push(await workspace.asked());
  };
  const people = [work(), work()];
  const apiBack = await crash(program, workspace);
  working.abort();
  await Promise.all(people);
  const cut = sockets.filter(({ readyState }) => readyState !== WebSocket.OPEN).length;
  for (const socket of sockets) socket.terminate();
  await workspace.rest();
  const failed = outcomes.filter((right) => !right).length;
  return { apiBack, answered: outcomes.length - failed, failed, cut };
}

/** From the kill to an answer of the API. */
async function crash(program: Program, workspace: SeenWorkspace): Promise<number> {
  const killed = performance.now();
  await program.crashServer();
  await until("the API is away", async () => !(await isUp(program)));
  await workspace.api();
  return secondsSince(killed);
}

const isUp = async ({ url }: Program): Promise<boolean> => (await fetch(`${url}/readyz`)).ok;
