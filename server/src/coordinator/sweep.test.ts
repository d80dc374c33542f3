import { expect, test } from "vitest";
import { volumeName } from "#core/rows/names.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import type { SeenRow } from "#ports/store.ts";
import { DEFAULT_SETTINGS } from "../../test/fixtures/settings.ts";
import { AT_REST, ATTEMPT, condition, NOW } from "../../test/fixtures/workspace.ts";
import { type CoordinatorDeps, DECISIONS } from "./deps.ts";
import { fromLists } from "./look.ts";
import { JUDGED_AT_ONCE, NOTED_AT_ONCE, sweep } from "./sweep.ts";
import type { TermContext } from "./term.ts";
import { untried } from "./trust.ts";

const FLEET = 2_000;

/** The row as a coordinator has written it that saw this. */
function asWritten(row: Workspace, containers: readonly ContainerSeen[]): Workspace {
  const seen = fromLists(row, NOW, containers, new Map([[row.homeVolume ?? "", row.id]]));
  const verdict = DECISIONS.observe({ row, archives: [], volumes: [], now: NOW }, seen, row.rowVersion);
  return { ...row, ...verdict?.patch };
}

/** A fleet at rest on an engine that answers or does not, and what a coordinator did at once when it swept over it. */
class Swept {
  engineAnswers = true;
  containers: ContainerSeen[] = [];
  rows: Workspace[] = Array.from({ length: FLEET }, (_, index) => {
    const id = `11111111-1111-4111-8111-${String(index).padStart(12, "0")}`;
    return asWritten({ ...AT_REST.STANDBY(), id, homeVolume: volumeName(id, ATTEMPT) }, []);
  });
  judgedAtOnce: number[] = [0];
  readonly noted: SeenRow[][] = [];
  readonly term: TermContext;

  constructor() {
    const observe: typeof DECISIONS.observe = (...args) => {
      this.judgedAtOnce[0] = (this.judgedAtOnce[0] ?? 0) + 1;
      return DECISIONS.observe(...args);
    };
    const giveWay = async () => void this.judgedAtOnce.unshift(0);
    const world = {
      runtime: {
        kind: "simulated",
        engineId: async () => this.#answer("engine"),
        list: async () => this.#answer(this.containers),
      },
      volumes: {
        list: async () => this.#answer(this.rows.map((row) => ({ name: row.homeVolume, workspaceId: row.id }))),
      },
      archives: { storeId: async () => "store" },
    };
    const store = {
      bindDeployment: async () => ({ runtimeKind: "simulated", engineId: "engine", storeId: "store" }),
      saveComponents: async () => {},
      listArchivesUnchecked: async () => [],
      listWithResources: async () => this.rows,
      listVolumeNames: async () => this.rows.map((row) => row.homeVolume),
      noteSeen: async (rows: SeenRow[]) => void this.noted.push(rows),
    };
    const logger = { warn: () => {} };
    const deps = { clock: { giveWay }, decisions: { ...DECISIONS, observe }, settings: DEFAULT_SETTINGS, logger };
    this.term = {
      deps: deps as unknown as CoordinatorDeps,
      store,
      world,
      logger,
      databaseClock: { isKnown: true, now: () => NOW },
      signal: new AbortController().signal,
      trust: untried(),
    } as unknown as TermContext;
  }

  #answer<T>(value: T): T {
    if (!this.engineAnswers) throw new Error("away");
    return value;
  }

  /** What the coordinator wrote down is what the rows say from now on. */
  async once(): Promise<readonly string[]> {
    this.judgedAtOnce = [0];
    const due = await sweep(this.term);
    const written = new Map(this.noted.flat().map((row) => [row.id, row]));
    this.rows = this.rows.map((row) => ({ ...row, conditions: written.get(row.id)?.conditions ?? row.conditions }));
    return due;
  }

  get doubted(): number {
    return this.rows.filter((row) => row.conditions["storage.volume_ready"]?.unknownSince !== undefined).length;
  }
}

test("however many there are, nothing waits behind more than a slice of them", async () => {
  const fleet = new Swept();
  for (const engineAnswers of [true, false]) {
    fleet.engineAnswers = engineAnswers;
    if (!engineAnswers) fleet.term.trust.engine = { failure: "engine_not_asked" };
    await fleet.once();
    expect(fleet.judgedAtOnce.reduce((sum, count) => sum + count)).toBe(FLEET);
    expect(Math.max(...fleet.judgedAtOnce)).toBe(JUDGED_AT_ONCE);
  }
});

test("a term that begins in an outage doubts all of them, and afterwards one list takes that back, without a look at each", async () => {
  const fleet = new Swept();
  await fleet.once();
  fleet.engineAnswers = false;
  fleet.term.trust.engine = untried().engine;
  expect(await fleet.once()).toEqual([]);
  expect(fleet.doubted).toBe(FLEET);
  // Said once, and not again with every sweep.
  const said = fleet.noted.length;
  await fleet.once();
  expect(fleet.noted).toHaveLength(said);
  fleet.engineAnswers = true;
  expect(await fleet.once()).toEqual([]);
  expect(fleet.doubted).toBe(0);
  expect(Math.max(...fleet.noted.map((rows) => rows.length))).toBe(NOTED_AT_ONCE);
});

test("a machine that falls silent for a moment is written down of all that it holds, and taken back, without a look at each", async () => {
  const fleet = new Swept();
  await fleet.once();
  const running = AT_REST.RUNNING();
  const { endpoint, homeVolume: volume, id: workspaceId } = running;
  if (endpoint === null) throw new Error("a running one has an endpoint");
  const { containerId: id, attempt, address } = endpoint;
  const container = { id, workspaceId, volume, attempt, address, state: "running", exitCode: null } as const;
  fleet.rows = [asWritten(running, [container])];
  fleet.containers = [container];
  expect(await fleet.once()).toEqual([]);
  fleet.containers = [{ ...container, silentNode: "node-1" }];
  expect(await fleet.once()).toEqual([]);
  const present = () => fleet.rows[0]?.conditions["infra.container_present"];
  expect(present()).toMatchObject({ status: true, reason: "NodeSilent", fields: { node: "node-1" } });
  fleet.containers = [container];
  expect(await fleet.once()).toEqual([]);
  expect(present()).toMatchObject({ status: true, reason: "ContainerFound" });
});

test("who is not as the row says is looked at, and so is who is still in doubt", async () => {
  const fleet = new Swept();
  const [gone, doubtful, moving] = fleet.rows as [Workspace, Workspace, Workspace];
  fleet.rows[0] = { ...gone, homeVolume: "somewhere else" };
  const archive = { archiveKey: "a/b/home.tar.zst", conditions: { ...doubtful.conditions } };
  archive.conditions["storage.archive_ready"] = condition("unknown");
  archive.conditions["storage.volume_ready"] = condition("unknown", true);
  fleet.rows[1] = { ...doubtful, ...archive };
  fleet.rows[2] = { ...moving, operation: "STARTING" };
  const volumes = fleet.term.world.volumes.list;
  const list = async () => (await volumes()).filter(({ workspaceId }) => workspaceId !== gone.id);
  Object.assign(fleet.term.world.volumes, { list });
  expect(new Set(await fleet.once())).toEqual(new Set([gone.id, doubtful.id]));
});

test("while the engine is away for a moment nothing is read and nothing is said of anything", async () => {
  const fleet = new Swept();
  await fleet.once();
  fleet.engineAnswers = false;
  const before = fleet.noted.length;
  await expect(fleet.once()).rejects.toThrow("no engine to compare with");
  expect(fleet.judgedAtOnce).toEqual([0]);
  expect(fleet.noted).toHaveLength(before);
});
