import { DECISIONS } from "#coordinator/deps.ts";
import { requestLevel, requestUndelete } from "#core/requests/requests.ts";
import { HONEST } from "./job-steps.ts";
import type { Plant } from "./plant.ts";
import { pause, withStore } from "./plant-tools.ts";

const slowRequests: Plant["deps"] = (deps, { db }) => ({
  ...deps,
  requestStore: {
    ...deps.requestStore,
    change: async (id, options, decide) => {
      if (db.rows.get(id)?.phase === "STANDBY") await pause(deps, 20);
      return await deps.requestStore.change(id, options, decide);
    },
  },
});

/** Gaps of deletion, undo, reset and take-over, as a first reading would leave them. */
export const GAPS: readonly Plant[] = [
  {
    name: "G1",
    what: "a deleted workspace is let go of without a last copy",
    caughtBy: ["I3"],
    decisions: () => ({
      plan: (row, now) => DECISIONS.plan(row.deletedAt === null ? row : { ...row, expiredAt: now }, now),
      commit: (facts, input) =>
        DECISIONS.commit(
          input.operation === "DELETING" ? { ...facts, row: { ...facts.row, expiredAt: facts.now } } : facts,
          input,
        ),
    }),
  },
  {
    name: "G2",
    what: "a reset that was taken back is carried out all the same",
    caughtBy: ["I3"],
    decisions: () => ({
      commit: (facts, input) =>
        DECISIONS.commit(
          input.operation === "DISCARDING"
            ? { ...facts, row: { ...facts.row, desiredState: "PENDING", deletedAt: null } }
            : facts,
          input,
        ),
    }),
    deps: (deps, { db }) =>
      withStore(deps, (store) => ({
        mutate: async (id, decide) => {
          if (db.rows.get(id)?.operation === "DISCARDING") await pause(deps, 10);
          return await store.mutate(id, decide);
        },
      })),
  },
  {
    name: "G3",
    what: "the trash of a reset is not protected",
    caughtBy: ["I1r"],
    decisions: () => ({
      protection: (key, row, record, now) =>
        DECISIONS.protection(key, row, record?.state === "trash" ? null : record, now),
    }),
  },
  {
    name: "G3-purge",
    what: "the archives of purged and expired workspaces are protected for ever",
    caughtBy: ["L"],
    decisions: () => ({
      protection: (key, row, record, now) =>
        row !== null && row.deletedAt !== null ? "trash" : DECISIONS.protection(key, row, record, now),
    }),
  },
  {
    name: "G4-expired",
    what: "undelete is accepted after its time was over",
    caughtBy: ["I11", "SCHEMA"],
    rules: {
      requestUndelete: (input, actor) =>
        requestUndelete(
          input.row === null ? input : { ...input, row: { ...input.row, expiredAt: null, purge: false } },
          actor,
        ),
    },
  },
  {
    name: "G4-again",
    what: "a second DELETE moves the time of the first",
    caughtBy: ["I11"],
    rules: {
      requestDelete: ({ row, now }, purge, actor) =>
        row === null
          ? { write: null, result: { accepted: false, refusal: "NOT_FOUND" } }
          : {
              write: { desiredState: "DELETED", deletedAt: now, purge: row.purge || purge !== null },
              events: [{ actor, kind: "delete", from: null, to: null, code: "" }],
              result: { accepted: true },
            },
    },
  },
  {
    name: "G4-patch",
    what: "a level is accepted on a deleted workspace",
    caughtBy: ["I11", "SCHEMA"],
    rules: {
      requestLevel: (input, level, limits, actor) =>
        requestLevel(
          input.row === null ? input : { ...input, row: { ...input.row, deletedAt: null } },
          level,
          limits,
          actor,
        ),
    },
  },
  {
    name: "G5-lower",
    what: "the TTL runner looks at the phase only",
    caughtBy: ["IW"],
    decisions: () => ({
      requestDemotion: (input) => {
        const { row } = input;
        if (row === null || (row.phase !== "STANDBY" && row.phase !== "RUNNING"))
          return DECISIONS.requestDemotion(input);
        const desiredState = row.phase;
        return DECISIONS.requestDemotion({ ...input, row: { ...row, desiredState, deletedAt: null } });
      },
    }),
    deps: (deps, { db }) => ({
      ...deps,
      requestStore: {
        ...deps.requestStore,
        listIdleCandidates: () => Promise.resolve([...db.rows.keys()]),
        change: async (id, options, decide) => {
          if (db.rows.get(id)?.phase === "STANDBY") await pause(deps, 20);
          return await deps.requestStore.change(id, options, decide);
        },
      },
    }),
  },
  {
    name: "G5-bump",
    what: "a repeated wish does not count as a new one",
    caughtBy: ["IW"],
    rules: {
      requestLevel: (input, level, limits, actor) => {
        const wish = requestLevel(input, level, limits, actor);
        if (wish.write === null || input.row?.desiredState !== level) return wish;
        return { ...wish, write: { ...wish.write, desiredVersion: input.row.desiredVersion } };
      },
    },
    deps: slowRequests,
  },
  {
    name: "G6",
    what: "the proxy routes by labels, whatever the row says, and strangers on the volume are not looked for",
    caughtBy: ["I9", "I3", "I2", "I11"],
    prepare: ({ jobs }) => {
      jobs.tricks = { ...HONEST, checksContainers: false };
    },
    deps: (deps, { db }) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        list: () => Promise.resolve([]),
        inspect: async (id) => {
          const row = db.rows.get(id);
          const known = [row?.opId, row?.endpoint?.attempt];
          return (await deps.runtime.inspect(id)).filter((one) => known.includes(one.attempt));
        },
      },
    }),
    rules: {
      routeDelayMs: 5 * 60_000,
      route: ({ world }, row) =>
        world.containersOf(row.id).find((one) => one.state === "running" && one.volume === row.homeVolume) ?? null,
    },
  },
  {
    name: "G7",
    what: "taking over launches again under the same attempt",
    caughtBy: ["I9", "I2", "I3", "I5"],
    prepare: ({ jobs }) => {
      jobs.tricks = { ...HONEST, respectsIdentity: false, endsJobs: false };
    },
    decisions: () => ({ takeOver: (facts, input) => DECISIONS.takeOver(facts, { ...input, freshOpId: input.opId }) }),
    deps: (deps) => ({
      ...deps,
      jobs: { ...deps.jobs, find: () => Promise.resolve([]), end: () => Promise.resolve() },
      volumes: { ...deps.volumes, create: async (spec) => (await deps.volumes.create(spec)) || true },
    }),
  },
  {
    name: "G8",
    what: "a timeout does not end its driver, and the fence looks at attempt and epoch only",
    caughtBy: ["I4"],
    decisions: () => ({
      fail: (facts, input) => {
        const failed = DECISIONS.fail(facts, input);
        if (failed === null) return null;
        const { opId, opEpoch } = facts.row;
        return { ...failed, patch: { ...failed.patch, opId, opEpoch } };
      },
    }),
    deps: (deps) => {
      const { settings } = deps;
      const late: { go: (id: string, attempt: string, epoch: number) => void } = { go: () => undefined };
      const reading = withStore(deps, (store) => {
        late.go = (id, attempt) => {
          void pause(deps, 1)
            .then(() =>
              store.mutate(id, (facts) => {
                if (facts.row.opId !== attempt || facts.row.opEpoch !== store.epoch) return null;
                return { patch: { homeVolume: null, opId: null, opEpoch: null } };
              }),
            )
            .catch(() => undefined);
        };
        return {};
      });
      return {
        ...reading,
        settings: { ...settings, timeoutsMs: { ...settings.timeoutsMs, ARCHIVING: 20_000 } },
        jobs: {
          ...deps.jobs,
          archive: (spec, options) => {
            options.signal.addEventListener("abort", () => late.go(spec.workspaceId, spec.attempt, 0), { once: true });
            return deps.jobs.archive(spec, options);
          },
        },
      };
    },
  },
  {
    name: "G9",
    what: "a deleted workspace counts as settled while its operation runs",
    caughtBy: ["I12"],
    deps: (deps, { db }) => {
      const skipped = (id: string): boolean => {
        const row = db.rows.get(id);
        return row !== undefined && row.deletedAt !== null && row.operation !== "NONE";
      };
      const reading = withStore(deps, (store) => ({
        listUnsettled: async (limit) => (await store.listUnsettled(limit)).filter((id) => !skipped(id)),
      }));
      const hints = {
        subscribe: (onHint: (id: string | null) => void) =>
          deps.hints.subscribe((id) => (id === null || skipped(id) ? undefined : onHint(id))),
      };
      return { ...reading, hints };
    },
  },
  {
    name: "G10",
    what: "nothing is planned when the time for undo is over",
    caughtBy: ["L", "I12"],
    decisions: () => ({
      plan: (row, now) =>
        row.expiredAt !== null && !row.purge ? { kind: "rest", why: "no_step" } : DECISIONS.plan(row, now),
    }),
  },
  {
    name: "G12-engine",
    what: "whatever answers as the engine is believed",
    caughtBy: ["I20"],
    deps: (deps, { world }) => ({
      ...deps,
      runtime: { ...deps.runtime, engineId: () => Promise.resolve(world.engineId) },
    }),
  },
  {
    name: "G12-store",
    what: "whatever answers as the archive store is believed",
    caughtBy: ["I3", "I6", "I20"],
    deps: (deps, { world }) => ({
      ...deps,
      archives: { ...deps.archives, storeId: () => Promise.resolve(world.storeId) },
    }),
  },
  {
    name: "G11",
    what: "a visit cancels a confirmed reset",
    caughtBy: ["IW"],
    rules: {
      requestWake: ({ row, now }, _limits, actor) =>
        row === null || row.deletedAt !== null || row.desiredState === "RUNNING"
          ? { write: null, result: { accepted: false, refusal: "NOTHING_TO_WAKE" } }
          : {
              write: { desiredState: "RUNNING", desiredVersion: row.desiredVersion + 1, lastAccessAt: now },
              events: [{ actor, kind: "wake", from: row.desiredState, to: "RUNNING", code: "visited" }],
              result: { accepted: true },
            },
    },
  },
  {
    name: "G13",
    what: "a commit marker whose object is gone is not listed",
    caughtBy: ["L"],
    deps: (deps, { world }) => ({
      ...deps,
      archives: {
        ...deps.archives,
        list: async () => (await deps.archives.list()).filter(({ key }) => world.objects.get(key)?.lone !== true),
      },
    }),
  },
  {
    name: "G14",
    what: "uploads that nobody finishes are never aborted",
    caughtBy: ["L"],
    deps: (deps) => ({ ...deps, archives: { ...deps.archives, abortStaleUploads: () => Promise.resolve(0) } }),
  },
  {
    name: "G15",
    what: "nobody tells the engine that a container came up",
    caughtBy: ["I23"],
    deps: (deps) => ({ ...deps, runtime: { ...deps.runtime, cameUp: () => Promise.resolve() } }),
  },
];
