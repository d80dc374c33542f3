import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { holdsSlot } from "#core/requests/limits.ts";
import type { Mutation } from "#core/rows/mutation.ts";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import {
  type ArchiveRecord,
  OPERATION_NAMES,
  type OperationName,
  PHASES,
  type RequestColumns,
  type VerdictColumns,
  type VolumeRecord,
  type Workspace,
} from "#core/rows/workspace.ts";
import { isSettled } from "#core/rules/plan.ts";
import {
  AddressTaken,
  type LeaderStore,
  NotLeader,
  type RequestStore,
  type SeenRow,
  type WorkspaceDraft,
} from "#ports/store.ts";

/** What a database must bring for the suite. Each fixture is a database of its own. */
export interface StoreFixture {
  readonly requestStore: RequestStore;
  /** Mints a new epoch; the stores of earlier terms are deposed from then on. */
  readonly lead: () => Promise<LeaderStore>;
  /** A user that workspaces can belong to. */
  readonly owner: () => Promise<string>;
  readonly close: () => Promise<void>;
}

/** What two tests never have in common. */
const chance = (): string => randomUUID().slice(-6);
const DAY_MS = 86_400_000;
const FREE = { refuse: null, events: [] } as const;
const COUNTED = { countSlots: true };
const UNCOUNTED = { countSlots: false };

export const draftOf = (ownerId: string, more: Partial<WorkspaceDraft> = {}): WorkspaceDraft => ({
  id: randomUUID(),
  ownerId,
  name: "home",
  description: null,
  memo: null,
  imageRef: "image:1",
  standbyTtlSeconds: null,
  archiveTtlSeconds: null,
  desiredState: "STANDBY",
  ...more,
});

export function archiveOf(workspaceId: string, more: Partial<ArchiveRecord> = {}): ArchiveRecord {
  const opId = more.opId ?? randomUUID();
  return {
    key: archiveKey(workspaceId, opId),
    workspaceId,
    opId,
    state: "current",
    facts: {
      sha256: "0123456789abcdef".repeat(4),
      sizeBytes: 1_234,
      contentBytes: 5_000_000_000,
      entryCount: 42,
      manifestDigest: "digest",
      skippedSockets: 1,
      formatVersion: 1,
    },
    createdAt: 1_700_000_000_123,
    verifiedAt: 1_700_000_000_456,
    keepUntil: null,
    ...more,
  };
}

export function volumeOf(workspaceId: string, more: Partial<VolumeRecord> = {}): VolumeRecord {
  const attempt = more.attempt ?? randomUUID();
  return { name: volumeName(workspaceId, attempt), workspaceId, attempt, state: "current", retiredAt: null, ...more };
}

/** The promises of the store ports. PostgreSQL and the simulator's database are held to the same ones. */
export function storeSuite(name: string, open: () => Promise<StoreFixture>): void {
  describe(`${name} as a store`, () => {
    let fixture: StoreFixture;
    let leader: LeaderStore;
    let ownerId: string;

    beforeEach(async () => {
      fixture = await open();
      leader = await fixture.lead();
      ownerId = await fixture.owner();
    });
    afterEach(() => fixture.close());

    /** The database's own clock, which need not be this machine's. */
    const clock = (): Promise<number> =>
      fixture.requestStore.change(randomUUID(), UNCOUNTED, ({ now }) => ({ write: null, result: now }));
    const create = async (more: Partial<WorkspaceDraft> = {}): Promise<Workspace> => {
      const made = await fixture.requestStore.create(draftOf(ownerId, more), () => FREE);
      if (!("row" in made)) throw new Error("refused");
      return made.row;
    };
    const wish = (id: string, write: Partial<RequestColumns>): Promise<null> =>
      fixture.requestStore.change(id, UNCOUNTED, () => ({ write, events: [], result: null }));
    const patch = async (id: string, verdict: Partial<VerdictColumns>, more: Partial<Mutation> = {}) => {
      const row = await leader.mutate(id, () => ({ patch: verdict, ...more }));
      if (row === null) throw new Error("the row is not there");
      return row;
    };
    const archivesOf = async (id: string): Promise<readonly ArchiveRecord[]> => {
      let seen: readonly ArchiveRecord[] = [];
      await leader.mutate(id, (facts) => {
        seen = facts.archives;
        return null;
      });
      return seen;
    };
    const volumesOf = async (id: string): Promise<readonly VolumeRecord[]> => {
      let seen: readonly VolumeRecord[] = [];
      await leader.mutate(id, (facts) => {
        seen = facts.volumes;
        return null;
      });
      return seen;
    };

    describe("wishes", () => {
      test("a new row has its wish and nothing else", async () => {
        const row = await create({ name: "fresh", memo: "# note", standbyTtlSeconds: 0, desiredState: "RUNNING" });
        expect(row).toMatchObject({ name: "fresh", memo: "# note", standbyTtlSeconds: 0, desiredState: "RUNNING" });
        expect(row).toMatchObject({ phase: "PENDING", operation: "NONE", homeVolume: null, archiveKey: null });
        expect(row).toMatchObject({ desiredVersion: 1, rowVersion: 1, conditions: {}, requestDone: 0 });
        expect(await leader.read(row.id)).toEqual(row);
      });

      test("a refused creation leaves nothing", async () => {
        const draft = draftOf(ownerId);
        expect(await fixture.requestStore.create(draft, () => ({ refuse: "full" }))).toEqual({ refused: "full" });
        expect(await fixture.requestStore.read(draft.id)).toBeNull();
      });

      test("a change writes what was decided and counts as one version", async () => {
        const row = await create();
        const request = { version: 1, action: { kind: "restore_archive", opId: randomUUID() } } as const;
        const write = {
          name: "renamed",
          description: "d",
          desiredVersion: 2,
          request,
          keepAwakeUntil: 1_800_000_000_001,
          awakeAskedFrom: 1_799_990_000_001,
          awakeAskedSeconds: 3_600,
          address: `renamed-${chance()}`,
        };
        await wish(row.id, write);
        const after = await fixture.requestStore.read(row.id);
        expect(after).toEqual({ ...row, ...write, rowVersion: 2, updatedAt: after?.updatedAt });
      });

      test("an address is one workspace's for ever, whatever becomes of it", async () => {
        const [first, second, purged] = [`one-${chance()}`, `two-${chance()}`, `gone-${chance()}`];
        const row = await create({ address: first });
        expect(row.address).toBe(first);
        const other = await create();
        expect(other.address).toBeNull();
        await wish(row.id, { address: second });
        await wish(row.id, { address: null });
        const gone = await create({ address: purged });
        await wish(gone.id, { desiredState: "DELETED", deletedAt: gone.createdAt, purge: true });
        for (const address of [first, second, purged]) {
          await expect(create({ address })).rejects.toThrow(AddressTaken);
          await expect(wish(other.id, { address, name: "not this either" })).rejects.toThrow(AddressTaken);
        }
        expect(await fixture.requestStore.read(other.id)).toEqual(other);
        expect(await fixture.requestStore.read(row.id)).toMatchObject({ address: null });
      });

      test("a declined or empty change leaves the row as it is", async () => {
        const row = await create();
        const result = await fixture.requestStore.change(row.id, UNCOUNTED, () => ({ write: null, result: "no" }));
        await wish(row.id, {});
        expect(result).toBe("no");
        expect(await fixture.requestStore.read(row.id)).toEqual(row);
      });

      test("an unknown id is decided upon as null", async () => {
        const result = await fixture.requestStore.change(randomUUID(), COUNTED, ({ row }) => ({
          write: null,
          result: row,
        }));
        expect(result).toBeNull();
      });

      test("a decision that throws writes nothing", async () => {
        const row = await create();
        const failing = fixture.requestStore.change(row.id, UNCOUNTED, () => {
          throw new Error("undecided");
        });
        await expect(failing).rejects.toThrow("undecided");
        expect(await fixture.requestStore.read(row.id)).toEqual(row);
      });

      test("slots are those of others: wished to run, in error, or with a container still there", async () => {
        const other = await fixture.owner();
        const container = { "infra.container_present": condition(true) };
        await create({ desiredState: "RUNNING" });
        const failed = await create({ desiredState: "RUNNING" });
        await patch(failed.id, { phase: "ERROR", errorReason: "Timeout" });
        const stopping = await create({ ownerId: other });
        await patch(stopping.id, { conditions: container });
        const deleted = await create({ desiredState: "RUNNING" });
        await wish(deleted.id, { desiredState: "DELETED", deletedAt: await clock() });
        const asking = await create({ desiredState: "RUNNING" });
        const slots = await fixture.requestStore.change(asking.id, COUNTED, (facts) => ({
          write: null,
          result: facts.slots,
        }));
        expect(slots).toMatchObject({ ofOwner: 2, global: 3 });
      });

      test("a slot is held by what the core says, whatever is under way, wished and seen", async () => {
        const asking = await create();
        const slots = (): Promise<number> =>
          fixture.requestStore.change(asking.id, COUNTED, (facts) => ({ write: null, result: facts.slots.global }));
        let held = 0;
        for (const operation of ["NONE", ...OPERATION_NAMES] as const) {
          for (const container of [true, false]) {
            for (const desiredState of ["RUNNING", "STANDBY"] as const) {
              const { id } = await create({ desiredState });
              const underWay = operation === "NONE" ? {} : attemptOf(operation, leader.epoch);
              const conditions = { "infra.container_present": condition(container) };
              if (holdsSlot(await patch(id, { conditions, ...underWay }))) held += 1;
              expect(await slots(), `${operation}, ${desiredState}, container: ${container}`).toBe(held);
            }
          }
        }
        expect(held).toBe(3 * (OPERATION_NAMES.length + 1) + 1);
      });

      test("of many that ask at once exactly as many start as there are slots", async () => {
        const rows = await Promise.all(Array.from({ length: 12 }, () => create()));
        const accepted = await Promise.all(
          rows.map((row) =>
            fixture.requestStore.change(row.id, COUNTED, ({ slots }) =>
              slots.ofOwner < 2
                ? { write: { desiredState: "RUNNING" }, events: [], result: true }
                : { write: null, result: false },
            ),
          ),
        );
        expect(accepted.filter(Boolean)).toHaveLength(2);
        const after = await fixture.requestStore.readMany(rows.map((row) => row.id));
        expect(after.filter(holdsSlot)).toHaveLength(2);
      });

      test("access times only rise and never lie in the future", async () => {
        const [older, newer, future] = await Promise.all([create(), create(), create()]);
        const now = await clock();
        await wish(older.id, { lastAccessAt: now - 1_000 });
        await wish(newer.id, { lastAccessAt: now - 60_000 });
        await wish(future.id, { lastAccessAt: now - 60_000 });
        const accesses = [
          [older.id, now - 50_000],
          [newer.id, now - 30_000],
          [future.id, now + DAY_MS],
          [randomUUID(), now],
        ] as const;
        await fixture.requestStore.touch(new Map(accesses));
        expect((await fixture.requestStore.read(older.id))?.lastAccessAt).toBe(now - 1_000);
        expect((await fixture.requestStore.read(newer.id))?.lastAccessAt).toBe(now - 30_000);
        const clamped = (await fixture.requestStore.read(future.id))?.lastAccessAt ?? 0;
        expect(clamped).toBeGreaterThan(now - 60_000);
        expect(clamped).toBeLessThan(now + DAY_MS / 2);
      });

      test("candidates for falling back are met wishes that nobody used for their time", async () => {
        const long = (await clock()) - 4 * 3_600_000;
        const idle = { phaseChangedAt: long, phase: "RUNNING" } as const;
        const running = { desiredState: "RUNNING" } as const;
        const past = async (row: Workspace): Promise<Workspace> => {
          await wish(row.id, { lastAccessAt: long });
          return row;
        };
        const expected = await past(await create(running));
        await patch(expected.id, idle);
        const standby = await create();
        await patch(standby.id, { ...idle, phase: "STANDBY" });
        const visited = await create(running);
        await patch(visited.id, idle);
        const never = await past(await create({ ...running, standbyTtlSeconds: 0 }));
        await patch(never.id, idle);
        const patient = await past(await create({ ...running, standbyTtlSeconds: 86_400 }));
        await patch(patient.id, idle);
        const busy = await past(await create(running));
        await patch(busy.id, { ...idle, ...attemptOf("STOPPING", leader.epoch) });
        const kept = await past(await create(running));
        await wish(kept.id, { keepAwakeUntil: (await clock()) + DAY_MS });
        await patch(kept.id, idle);
        const found = await fixture.requestStore.listIdleCandidates(
          { standbyTtlSeconds: 600, archiveTtlSeconds: 1_800 },
          50,
        );
        expect(new Set(found)).toEqual(new Set([expected.id, standby.id]));
        const one = await fixture.requestStore.listIdleCandidates(
          { standbyTtlSeconds: 600, archiveTtlSeconds: 1_800 },
          1,
        );
        expect(one).toHaveLength(1);
      });

      test("the longest standby TTL is a workspace's own or the default, and a deleted one's does not count", async () => {
        await create({ standbyTtlSeconds: 200_000_000 });
        const gone = await create({ standbyTtlSeconds: 300_000_000 });
        await wish(gone.id, { desiredState: "DELETED", deletedAt: await clock() });
        expect(await fixture.requestStore.longestStandbyTtlSeconds(600)).toBe(200_000_000);
        expect(await fixture.requestStore.longestStandbyTtlSeconds(250_000_000)).toBe(250_000_000);
      });
    });

    describe("verdicts", () => {
      test("every column comes back as it was written", async () => {
        const row = await create();
        const attempt = randomUUID();
        const verdict: VerdictColumns = {
          conditions: {
            "storage.volume_ready": condition(true),
            "storage.archive_ready": {
              ...condition(false),
              unknownSince: 1_700_000_000_001,
              checkedAt: 1_700_000_000_002,
            },
            "infra.container_ready": { ...condition(false), missingSince: 1_700_000_000_003 },
            "future.condition": condition(true),
          },
          phase: "ERROR",
          phaseChangedAt: 1_700_000_000_123,
          observedAt: 1_700_000_000_124,
          operation: "STARTING",
          opStartedAt: 1_700_000_000_125,
          opId: attempt,
          opEpoch: leader.epoch,
          requestDone: 3,
          expiredAt: null,
          homeVolume: volumeName(row.id, attempt),
          archiveKey: archiveKey(row.id, attempt),
          archiveOpId: attempt,
          endpoint: { containerId: "c", attempt, address: { kind: "tcp", host: "127.0.0.1", port: 4_000 } },
          homeCtx: {
            restoreMarker: "key",
            startedImage: "image:1",
            failedRequest: 7,
            exits: [1_700_000_000_126],
            ended: { code: "drained", fields: { exit_code: 1 }, message: "words", at: 1_700_000_000_127 },
            sizeBytes: 5,
            disk: { volume: "v", usedBytes: 9, totalBytes: 10, shared: true, at: 1_700_000_000_128 },
            setup: {
              version: 2,
              state: "failed",
              folder: "project",
              commit: "abc",
              branch: "main",
              failure: { code: "git_failed", fields: { host: "example.com" }, step: "cloning", message: "words" },
              notices: [{ code: "git_failed", fields: { near: ["a", "b"] } }],
              at: 1_700_000_000_129,
              tookMs: 17,
            },
          },
          errorReason: "ActionFailed",
          errorCount: 2,
          errorInfo: {
            reason: "ActionFailed",
            message: "It said “no”.\n\ttwice",
            operation: "STARTING",
            isTerminal: false,
            attempts: 2,
            elapsedMs: 4_250,
            previousPhase: "STANDBY",
            occurredAt: 1_700_000_000_127,
          },
          reconcileFailureCount: 4,
          nextAttemptAt: 1_700_000_000_128,
        };
        const after = await patch(row.id, verdict);
        expect(after).toEqual({ ...row, ...verdict, rowVersion: 2, updatedAt: after.updatedAt });
        expect(await leader.read(row.id)).toEqual(after);
        const unix = { containerId: "c", attempt, address: { kind: "unix", path: "/run/x.sock" } } as const;
        expect((await patch(row.id, { endpoint: unix })).endpoint).toEqual(unix);
      });

      test("a decision sees the row, its records and the database's clock", async () => {
        const row = await create();
        await patch(row.id, {}, { archives: [archiveOf(row.id)], volumes: [volumeOf(row.id, { state: "gone" })] });
        const other = await create();
        await patch(other.id, {}, { volumes: [volumeOf(other.id)] });
        let facts: unknown;
        await leader.mutate(row.id, (given) => {
          facts = given;
          return null;
        });
        expect(facts).toMatchObject({ row: { id: row.id }, archives: [{ workspaceId: row.id }] });
        expect(facts).toMatchObject({ volumes: [{ workspaceId: row.id, state: "gone" }], now: expect.any(Number) });
      });

      test("a declined decision, one that throws and an unknown row change nothing", async () => {
        const row = await create();
        expect(await leader.mutate(row.id, () => null)).toBeNull();
        expect(await leader.mutate(randomUUID(), () => ({ patch: { phase: "ERROR" } }))).toBeNull();
        const failing = leader.mutate(row.id, () => {
          throw new Error("undecided");
        });
        await expect(failing).rejects.toThrow("undecided");
        expect(await leader.read(row.id)).toEqual(row);
      });

      test("an empty patch writes its records and leaves the row's version", async () => {
        const row = await create();
        const volume = volumeOf(row.id, { state: "building" });
        expect(await leader.mutate(row.id, () => ({ patch: {}, volumes: [volume] }))).toEqual(row);
        expect(await volumesOf(row.id)).toEqual([volume]);
      });

      test("records are inserted, then replaced by their name", async () => {
        const row = await create();
        const volume = volumeOf(row.id, { state: "building" });
        const archive = archiveOf(row.id);
        await patch(row.id, {}, { volumes: [volume], archives: [archive] });
        const retired = { ...volume, state: "retired", retiredAt: 1_700_000_000_999 } as const;
        const trash = { ...archive, state: "trash", keepUntil: 1_900_000_000_000 } as const;
        await patch(row.id, {}, { volumes: [retired], archives: [trash] });
        expect(await volumesOf(row.id)).toEqual([retired]);
        expect(await archivesOf(row.id)).toEqual([trash]);
      });

      test("a new current archive takes the old one's place, in whatever order they are named", async () => {
        const row = await create();
        const first = archiveOf(row.id);
        const second = archiveOf(row.id);
        await patch(row.id, {}, { archives: [first] });
        await patch(row.id, {}, { archives: [second, { ...first, state: "version" }] });
        expect(new Set((await archivesOf(row.id)).map((archive) => archive.state))).toEqual(
          new Set(["current", "version"]),
        );
      });

      test("two current archives or volumes of one workspace are refused, and nothing of that decision stays", async () => {
        const row = await create();
        await patch(row.id, {}, { archives: [archiveOf(row.id)], volumes: [volumeOf(row.id)] });
        const before = await leader.read(row.id);
        await expect(patch(row.id, { errorCount: 9 }, { archives: [archiveOf(row.id)] })).rejects.toThrow();
        await expect(patch(row.id, { errorCount: 9 }, { volumes: [volumeOf(row.id)] })).rejects.toThrow();
        expect(await leader.read(row.id)).toEqual(before);
      });

      test("no two rows lead to one volume or archive, and no operation lacks an attempt", async () => {
        const [one, two] = await Promise.all([create(), create()]);
        await patch(one.id, { homeVolume: "same", archiveKey: "same" });
        await expect(patch(two.id, { homeVolume: "same" })).rejects.toThrow();
        await expect(patch(two.id, { archiveKey: "same" })).rejects.toThrow();
        await expect(patch(two.id, { operation: "STARTING" })).rejects.toThrow();
        expect(await leader.read(two.id)).toEqual(two);
      });

      test("racing decisions happen one after the other", async () => {
        const row = await create();
        const claims = await Promise.all(
          Array.from({ length: 8 }, () =>
            leader.mutate(row.id, (facts) =>
              facts.row.operation === "NONE" ? { patch: attemptOf("STARTING", leader.epoch) } : null,
            ),
          ),
        );
        expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
      });
    });

    describe("the fence", () => {
      test("a deposed leader writes nothing, by whatever method", async () => {
        const row = await create();
        const deposed = leader;
        leader = await fixture.lead();
        expect(leader.epoch).toBeGreaterThan(deposed.epoch);
        const key = archiveKey(row.id, randomUUID());
        const writes: (() => Promise<unknown>)[] = [
          () => deposed.mutate(row.id, () => ({ patch: { phase: "ERROR" } })),
          () => deposed.noteSeen([{ ...row, conditions: null }]),
          () => deposed.saveProgress(row.id, randomUUID(), PROGRESS),
          () => deposed.reservePort(row.id, randomUUID(), { from: 1, to: 9 }),
          () => deposed.releasePorts(row.id, null),
          () => deposed.mark([key]),
          () => deposed.markPurged(),
          () => deposed.unmark(new Map([[key, 0]])),
          () => deposed.giveUpArchive(key, 0, () => "remove"),
          () => deposed.recordRemovals([key]),
          () => deposed.recordListing({ listed: 0, kept: [] }),
          () => deposed.bindDeployment({ runtimeKind: "process", engineId: "e", storeId: "s" }),
          () => deposed.nextGeneration(),
          () => deposed.setQuarantine("why"),
          () => deposed.sampleFleet(),
          () => deposed.saveUsage([]),
          () => deposed.thinUsage(1),
          () => deposed.forgetUsageOfDeleted(),
          () => deposed.saveComponents([{ name: "engine", status: "ok", detail: "" }]),
        ];
        for (const write of writes) {
          await expect(write()).rejects.toBeInstanceOf(NotLeader);
        }
        expect(await leader.read(row.id)).toEqual(row);
        expect(await leader.listMarks()).toEqual(new Map());
        expect(await leader.deployment()).toMatchObject({ engineId: null, gcGeneration: 0, quarantine: null });
      });
    });

    describe("lists for the loops", () => {
      test("unsettled is what the core calls unsettled, in every combination", async () => {
        const unsettled = new Set<string>();
        for (const phase of PHASES) {
          for (const shape of SHAPES) {
            const row = await create({ desiredState: shape.desired });
            await wish(row.id, shape.wish);
            const verdict = { phase, requestDone: 1, ...shape.verdict };
            const keyed = shape.archived ? { ...verdict, archiveKey: archiveKey(row.id, row.id) } : verdict;
            const busy = shape.busy === undefined ? {} : attemptOf(shape.busy, leader.epoch);
            if (!isSettled(await patch(row.id, { ...keyed, ...busy }))) unsettled.add(row.id);
          }
        }
        expect(new Set(await leader.listUnsettled(1_000))).toEqual(unsettled);
        expect(unsettled.size).toBeGreaterThan(10);
        expect(await leader.listUnsettled(3)).toHaveLength(3);
      });

      test("rows with resources have a volume, an endpoint or a container that was seen", async () => {
        const [volume, endpoint, container] = await Promise.all([create(), create(), create(), create()]);
        await patch(volume.id, { homeVolume: "v" });
        const address = { kind: "unix", path: "/x" } as const;
        await patch(endpoint.id, { endpoint: { containerId: "c", attempt: randomUUID(), address } });
        await patch(container.id, { conditions: { "infra.container_present": condition(true) } });
        const found = await leader.listWithResources();
        expect(new Set(found.map((row) => row.id))).toEqual(new Set([volume.id, endpoint.id, container.id]));
      });

      test("seen again is noted of a row that is as it was read, and of no other", async () => {
        const [same, doubted, changed] = await Promise.all([create(), create(), create()]);
        const seenAt = (await clock()) - 10 * DAY_MS;
        const before = { observedAt: seenAt, conditions: { "storage.volume_ready": condition(true) } };
        const rows = [await patch(same.id, before), await patch(doubted.id, before), await patch(changed.id, before)];
        await patch(changed.id, { observedAt: seenAt + 1 });
        const conditions = {
          "storage.volume_ready": { ...condition(true), message: 'a "word", {}', unknownSince: seenAt },
        };
        const [first, ...others] = rows.map((row) => ({ ...row, conditions }));
        await leader.noteSeen([{ ...first, conditions: null } as SeenRow, ...others]);
        expect(await leader.read(changed.id)).toMatchObject({ ...before, observedAt: seenAt + 1 });
        for (const [id, expected] of [
          [same.id, rows[0]],
          [doubted.id, { ...rows[1], conditions }],
        ] as const) {
          const after = await leader.read(id);
          expect(after?.observedAt).toBeGreaterThan(seenAt + DAY_MS);
          const { observedAt, rowVersion, updatedAt } = after ?? {};
          expect(after).toEqual({ ...expected, observedAt, rowVersion, updatedAt });
        }
      });

      test("archives that were not looked at come first, then the longest unseen", async () => {
        const rows = await Promise.all([create(), create(), create(), create(), create()]);
        const [never, long, lately, inVolume, deleted] = rows.map((row) => row.id) as [
          string,
          string,
          string,
          string,
          string,
        ];
        const seen = (at: number) => ({ "storage.archive_ready": { ...condition(true), checkedAt: at } });
        for (const id of [never, long, lately, inVolume, deleted]) await patch(id, { archiveKey: archiveKey(id, id) });
        await patch(long, { conditions: seen(1_000) });
        await patch(lately, { conditions: seen(5_000) });
        await patch(inVolume, { conditions: seen(1_000), homeVolume: "v" });
        await wish(deleted, { desiredState: "DELETED", deletedAt: await clock() });
        expect(await leader.listArchivesUnchecked(5_000, 10)).toEqual([never, long]);
        expect(await leader.listArchivesUnchecked(9_000, 2)).toEqual([never, long]);
        expect(await leader.listArchivesUnchecked(9_000, 10)).toEqual([never, long, lately]);
      });

      test("expirable is deleted for longer than the retention and not yet expired", async () => {
        const [old, fresh, done] = await Promise.all([create(), create(), create(), create()]);
        const deletedAt = (await clock()) - 10 * DAY_MS;
        await wish(old.id, { desiredState: "DELETED", deletedAt });
        await wish(fresh.id, { desiredState: "DELETED", deletedAt: await clock() });
        await wish(done.id, { desiredState: "DELETED", deletedAt });
        await patch(done.id, { expiredAt: await clock() });
        expect(await leader.listExpirable(7 * DAY_MS, 10)).toEqual([old.id]);
      });

      test("reapable is retired for longer than the grace, oldest first, with its row", async () => {
        const row = await create();
        const now = await clock();
        const old = volumeOf(row.id, { state: "retired", retiredAt: now - 3 * DAY_MS });
        const older = volumeOf(row.id, { state: "retired", retiredAt: now - 4 * DAY_MS });
        const fresh = volumeOf(row.id, { state: "retired", retiredAt: now });
        const gone = volumeOf(row.id, { state: "gone", retiredAt: now - 4 * DAY_MS });
        await patch(row.id, {}, { volumes: [old, older, fresh, gone, volumeOf(row.id)] });
        const found = await leader.listReapable(DAY_MS, 10);
        expect(found.map((candidate) => candidate.volume)).toEqual([older, old]);
        expect(found[0]?.row).toEqual(row);
        expect(await leader.listReapable(DAY_MS, 1)).toHaveLength(1);
        expect(await leader.listVolumeNames()).toHaveLength(4);
      });
    });

    describe("ports, marks and the deployment", () => {
      test("an attempt keeps its port; no two attempts share one; a full range is an error", async () => {
        const row = await create();
        const range = { from: 20_000, to: 20_002 };
        const attempts = [randomUUID(), randomUUID(), randomUUID()];
        const ports = await Promise.all(attempts.map((attempt) => leader.reservePort(row.id, attempt, range)));
        expect(new Set(ports)).toEqual(new Set([20_000, 20_001, 20_002]));
        expect(await leader.reservePort(row.id, attempts[1] ?? "", range)).toBe(ports[1]);
        await expect(leader.reservePort(row.id, randomUUID(), range)).rejects.toThrow(/port/i);
        await leader.releasePorts(row.id, attempts[0] ?? "");
        expect(await leader.reservePort(row.id, attempts[0] ?? "", range)).toBe(ports[0]);
        await leader.releasePorts(row.id, null);
        expect(range.to - (await leader.reservePort(row.id, randomUUID(), range))).toBeLessThanOrEqual(2);
      });

      test("a workspace gets few different ports in its life, so that what is kept for a port is used again", async () => {
        const row = await create();
        const seen = new Set<number>();
        for (let start = 0; start < 20; start++) {
          seen.add(await leader.reservePort(row.id, randomUUID(), { from: 20_000, to: 29_999 }));
          await leader.releasePorts(row.id, null);
        }
        expect(seen.size).toBeLessThanOrEqual(4);
      });

      test("a mark keeps its first time until it is taken away", async () => {
        await leader.mark(["a", "b"]);
        const first = await leader.listMarks();
        await leader.mark(["b", "c"]);
        const second = await leader.listMarks();
        expect([...second.keys()].sort()).toEqual(["a", "b", "c"]);
        expect(second.get("b")).toBe(first.get("b"));
        await leader.unmark(new Map([...second].filter(([key]) => key !== "b")));
        expect([...(await leader.listMarks()).keys()]).toEqual(["b"]);
        // A mark that was set anew is not the one that was read.
        await leader.unmark(new Map([["b", (second.get("b") ?? 0) - 1]]));
        expect([...(await leader.listMarks()).keys()]).toEqual(["b"]);
      });

      test("what a decision lets go of is marked in its transaction, from then on, and the urgent goes first", async () => {
        const row = await create();
        const old = archiveKey(row.id, randomUUID());
        const wanted = archiveKey(row.id, randomUUID());
        await leader.mark([old]);
        const before = (await leader.listMarks()).get(old) ?? 0;
        await patch(row.id, {}, { marks: { keys: [wanted], urgent: true } });
        expect(await leader.listAgedMarks(0, 10)).toEqual([wanted, old]);
        await patch(row.id, {}, { marks: { keys: [old], urgent: false } });
        expect((await leader.listMarks()).get(old)).toBeGreaterThanOrEqual(before);
        expect(await leader.listAgedMarks(0, 1)).toEqual([wanted]);
        expect(await leader.listAgedMarks(DAY_MS, 10)).toEqual([]);
      });

      test("what is on record of a purged workspace that leads to nothing is marked", async () => {
        const row = await create();
        const [trash, version, orphan] = (["trash", "version", "orphan"] as const).map((state) => ({
          ...archiveOf(row.id),
          state,
        }));
        if (trash === undefined || version === undefined || orphan === undefined) throw new Error("three records");
        await patch(row.id, {}, { archives: [trash, version, orphan] });
        await leader.markPurged();
        expect(await leader.listMarks()).toEqual(new Map());
        await wish(row.id, { desiredState: "DELETED", deletedAt: await clock(), purge: true });
        await patch(row.id, { homeVolume: "ws-home" });
        await leader.markPurged();
        expect(await leader.listMarks()).toEqual(new Map());
        const upload = randomUUID();
        await patch(row.id, { homeVolume: null, archiveOpId: upload });
        await leader.markPurged();
        expect(new Set((await leader.listMarks()).keys())).toEqual(
          new Set([trash.key, version.key, orphan.key, archiveKey(row.id, upload)]),
        );
      });

      test("an archive is given up only by decision, from facts read in that transaction", async () => {
        const row = await create();
        const archive = archiveOf(row.id);
        await patch(row.id, { archiveKey: archive.key }, { archives: [archive] });
        await leader.mark([archive.key]);
        const waits = await leader.giveUpArchive(archive.key, DAY_MS, (facts) => {
          expect(facts).toMatchObject({ key: archive.key, row: { id: row.id }, record: archive });
          expect(facts.markedAt).not.toBeNull();
          return "wait";
        });
        expect(waits).toBe("wait");
        expect(await leader.giveUpArchive(archive.key, DAY_MS, () => "unmark")).toBe("unmark");
        expect(await archivesOf(row.id)).toEqual([archive]);
        expect(await leader.listMarks()).toEqual(new Map());

        await leader.mark([archive.key]);
        expect(await leader.listAgedMarks(0, 10)).toEqual([archive.key]);
        expect(await leader.giveUpArchive(archive.key, DAY_MS, () => "remove")).toBe("remove");
        expect(await archivesOf(row.id)).toEqual([{ ...archive, state: "orphan", keepUntil: null }]);
        // It is not the store's turn to be asked again, and the mark stays until the store has removed it.
        expect(await leader.listAgedMarks(0, 10)).toEqual([]);
        expect([...(await leader.listMarks()).keys()]).toEqual([archive.key]);
        expect(await leader.giveUpArchive(archive.key, 0, () => "remove")).toBe("remove");
        expect(await leader.listAgedMarks(0, 10)).toEqual([archive.key]);
        await leader.recordRemovals([archive.key]);
        expect(await leader.listMarks()).toEqual(new Map());
        expect(await archivesOf(row.id)).toEqual([]);
      });

      test("keys of the store are answered with record and row where there are any", async () => {
        const row = await create();
        const archive = archiveOf(row.id);
        await patch(row.id, {}, { archives: [archive] });
        const unrecorded = archiveKey(row.id, randomUUID());
        const stranger = archiveKey(randomUUID(), randomUUID());
        const found = await leader.readArchives([archive.key, unrecorded, stranger]);
        expect(found.map(({ key, record, row: of }) => [key, record?.opId ?? null, of?.id ?? null])).toEqual([
          [archive.key, archive.opId, row.id],
          [unrecorded, null, row.id],
          [stranger, null, null],
        ]);
        expect(
          await leader.giveUpArchive(stranger, 0, ({ row: of, record }) =>
            of === null && record === null ? "remove" : "wait",
          ),
        ).toBe("remove");
      });

      test("runtime, engine and store are recorded once, each when it has answered", async () => {
        const open = await leader.bindDeployment({ runtimeKind: "process", engineId: null, storeId: null });
        expect(open).toMatchObject({ runtimeKind: "process", engineId: null, storeId: null });
        const first = await leader.bindDeployment({ runtimeKind: "process", engineId: "e1", storeId: "s1" });
        const second = await leader.bindDeployment({ runtimeKind: "docker", engineId: "e2", storeId: "s2" });
        expect(second).toEqual(first);
        expect(await leader.deployment()).toMatchObject({ runtimeKind: "process", engineId: "e1", storeId: "s1" });
      });

      test("generations count up, and a quarantine holds until it is lifted", async () => {
        expect([await leader.nextGeneration(), await leader.nextGeneration()]).toEqual([1, 2]);
        await leader.setQuarantine("the store is ahead");
        expect(await leader.deployment()).toMatchObject({ gcGeneration: 2, quarantine: "the store is ahead" });
        await leader.setQuarantine(null);
        expect((await leader.deployment()).quarantine).toBeNull();
      });
    });
  });
}

const condition = (status: boolean) => ({
  status,
  reason: "Seen",
  message: "m",
  lastTransitionTime: 1_700_000_000_000,
});

const PROGRESS = { step: "upload", doneBytes: 1, totalBytes: null, doneFiles: 1, bytesPerSecond: null };

const attemptOf = (operation: Workspace["operation"], epoch: number): Partial<VerdictColumns> => ({
  operation,
  opId: randomUUID(),
  opEpoch: epoch,
  opStartedAt: 1_700_000_000_000,
});

const DELETED = { desiredState: "DELETED", deletedAt: 1_700_000_000_000 } as const;
const asked = (version: number) => ({ version, action: { kind: "recover" } as const });

interface Shape {
  readonly desired: WorkspaceDraft["desiredState"];
  readonly wish: Partial<RequestColumns>;
  readonly verdict?: Partial<VerdictColumns>;
  readonly archived?: boolean;
  readonly busy?: OperationName;
}

/** Requests and verdicts that settle a row or do not; each is tried in every phase. */
const SHAPES: readonly Shape[] = [
  { desired: "RUNNING", wish: {} },
  { desired: "STANDBY", wish: {} },
  { desired: "ARCHIVED", wish: {}, archived: true },
  { desired: "STANDBY", wish: { desiredState: "PENDING" } },
  ...OPERATION_NAMES.map((busy): Shape => ({ desired: "STANDBY", wish: {}, busy })),
  { desired: "STANDBY", wish: { request: asked(2) } },
  { desired: "STANDBY", wish: { request: asked(1) } },
  { desired: "STANDBY", wish: DELETED },
  { desired: "STANDBY", wish: DELETED, archived: true },
  { desired: "STANDBY", wish: { ...DELETED, purge: true } },
  { desired: "STANDBY", wish: { ...DELETED, purge: true }, archived: true },
  { desired: "STANDBY", wish: DELETED, verdict: { expiredAt: 1_700_000_000_000 }, archived: true },
];
