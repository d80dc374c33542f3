import { apiAs, sessionCookies } from "../test/e2e/accounts.ts";
import { type Program, startProgram } from "../test/e2e/program.ts";
import { OpenBrowser } from "./open/browser.ts";
import { BareIde } from "./open/peer.ts";
import { type Seen, SleepingWorkspace } from "./open/workspace.ts";
import type { BenchResult } from "./result.ts";
import { median } from "./shared/median.ts";

const WARM_ROUNDS = Number(process.env["OPEN_BENCH_ROUNDS"] ?? 5);
const COLD_ROUNDS = Number(process.env["OPEN_BENCH_ROUNDS"] ?? 5);
/** So often a browser has to have loaded a script before it keeps what it made of it. */
const EARLIER_VISITS = 3;

/**
 * From a person's visit to a workspace in STANDBY until the Explorer shows the home's files, in Chromium, against starting
 * the same IDE by hand and loading its page. In turns, so that both have the same weather. `warm`: in a browser that was there before;
 * `cold`: in one that never was. The real IDE, as a process of this machine.
 */
export async function run(): Promise<BenchResult> {
  const program = await startProgram();
  try {
    const workspace = await openWorkspace(program);
    await using peer = await BareIde.prepare();
    const warm = await rounds(WARM_ROUNDS, workspace, peer, await warmedUp(workspace, peer));
    const cold = await rounds(COLD_ROUNDS, workspace, peer, null);
    return {
      metrics: { ...partsOf("warm", warm), ...partsOf("cold", cold) },
      ratios: { warm: ratioOf(warm), cold: ratioOf(cold) },
    };
  } finally {
    await program.stop();
  }
}

async function openWorkspace({ url, dataDir }: Program): Promise<SleepingWorkspace> {
  return SleepingWorkspace.prepare(url, dataDir, await apiAs(url), await sessionCookies(url));
}

async function warmedUp(workspace: SleepingWorkspace, peer: BareIde): Promise<OpenBrowser> {
  const browser = await OpenBrowser.launch();
  for (let visit = 0; visit < EARLIER_VISITS; visit++) {
    await workspace.visit(browser, "lingering");
    await peer.visit(browser, "lingering");
  }
  return browser;
}

interface Round {
  readonly ours: Seen;
  readonly peer: Seen;
}

/** With a browser of its own for every single visit where none is given. */
async function rounds(
  count: number,
  workspace: SleepingWorkspace,
  peer: BareIde,
  kept: OpenBrowser | null,
): Promise<Round[]> {
  const all: Round[] = [];
  const inBrowser = async (visit: (browser: OpenBrowser) => Promise<Seen>): Promise<Seen> => {
    if (kept !== null) return visit(kept);
    await using fresh = await OpenBrowser.launch();
    return await visit(fresh);
  };
  for (let round = 0; round < count; round++) {
    const ours = await inBrowser((browser) => workspace.visit(browser, "brief"));
    all.push({ ours, peer: await inBrowser((browser) => peer.visit(browser, "brief")) });
  }
  await kept?.[Symbol.asyncDispose]();
  return all;
}

const partsOf = (name: string, all: readonly Round[]): Record<string, number> => ({
  [`${name}_ours_s`]: median(all.map(({ ours }) => ours.rowsS)),
  [`${name}_ours_container_s`]: median(all.map(({ ours }) => ours.answersS)),
  [`${name}_peer_s`]: median(all.map(({ peer }) => peer.rowsS)),
  [`${name}_peer_container_s`]: median(all.map(({ peer }) => peer.answersS)),
});

/** Of the rounds, not of the medians: what both had to put up with in one round is then in neither. */
const ratioOf = (all: readonly Round[]): number => median(all.map(({ ours, peer }) => peer.rowsS / ours.rowsS));
