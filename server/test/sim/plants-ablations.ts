import { DECISIONS } from "#coordinator/deps.ts";
import { requestLevel, requestWake } from "#core/requests/requests.ts";
import { HONEST } from "./job-steps.ts";
import type { Plant } from "./plant.ts";
import { withStore } from "./plant-tools.ts";

const NO_LIMITS = { maxRunningPerUser: 1_000, maxRunningGlobal: 1_000 };

/** One rule of the protocol taken away, and one violation for each invariant that nothing above violates. */
export const ABLATIONS: readonly Plant[] = [
  {
    name: "uniqueVol",
    what: "a name that was used before is used again",
    caughtBy: ["I5"],
    decisions: () => ({
      claim: (facts, input) => {
        const used = facts.volumes.find((volume) => volume.state === "gone")?.attempt;
        const volumes = facts.volumes.filter((volume) => volume.attempt !== used);
        return DECISIONS.claim({ ...facts, volumes }, { ...input, opId: used ?? input.opId });
      },
    }),
  },
  {
    name: "gcDelProt",
    what: "the archive of a deleted workspace is not protected until its time is over",
    caughtBy: ["I7"],
    decisions: () => ({
      protection: (key, row, record, now) =>
        row !== null && row.deletedAt !== null ? null : DECISIONS.protection(key, row, record, now),
    }),
  },
  {
    name: "gcOpProt",
    what: "the object of the running attempt is not protected, and marks need not age",
    caughtBy: ["I7"],
    decisions: () => ({
      protection: (key, row, record, now) =>
        DECISIONS.protection(key, row === null ? null : { ...row, operation: "NONE" }, record, now),
    }),
    deps: (deps) => ({
      ...deps,
      settings: { ...deps.settings, gcMarkAgeMs: 0, gcIntervalMs: 2_000, gcRemovalIntervalMs: 2_000 },
    }),
  },
  {
    name: "gcBlind",
    what: "a deletion marks its archive at once, and what is marked is removed without another look",
    caughtBy: ["I7"],
    prepare: ({ db }) => {
      const { onCommit } = db;
      db.onCommit = (commit) => {
        onCommit(commit);
        const { deletedAt, archiveKey } = commit.after;
        if (deletedAt !== null && archiveKey !== null && !db.marks.has(archiveKey))
          db.marks.set(archiveKey, { markedAt: db.now, urgent: true, retryAt: null });
      };
    },
    deps: (deps) =>
      withStore(deps, (store) => ({
        giveUpArchive: (key, retryMs, decide) =>
          store.giveUpArchive(key, retryMs, (facts) => (decide(facts) === "wait" ? "wait" : "remove")),
      })),
  },
  {
    name: "purgeWaits",
    what: "what a purge lets go of is not marked before the next listing",
    caughtBy: ["L"],
    decisions: () => ({
      commit: (facts, input) => {
        const { marks: _, ...rest } = DECISIONS.commit(facts, input) ?? { patch: {} };
        return DECISIONS.commit(facts, input) === null ? null : rest;
      },
    }),
    deps: (deps) => withStore(deps, () => ({ markPurged: () => Promise.resolve() })),
  },
  {
    name: "gcPoison",
    what: "what the store does not remove is tried again before everything that waits behind it",
    caughtBy: ["L"],
    deps: (deps, { world }) => {
      const settings = { ...deps.settings, gcRemovalsPerTick: 1 };
      // The store refuses the first object it is ever asked to remove, for good.
      let refused: string | null = null;
      const remove = (key: string): Promise<void> => {
        refused ??= world.objects.has(key) ? key : null;
        return key === refused ? Promise.reject(new Error("access denied")) : deps.archives.remove(key);
      };
      const impatient = withStore(deps, (store) => ({
        giveUpArchive: (key, _retryMs, decide) => store.giveUpArchive(key, 0, decide),
      }));
      return { ...impatient, settings, archives: { ...deps.archives, remove } };
    },
  },
  {
    name: "reapOp",
    what: "a volume under construction is on record as retired",
    caughtBy: ["I7"],
    decisions: () => ({
      claim: (facts, input) => {
        const claimed = DECISIONS.claim(facts, input);
        if (claimed === null) return null;
        const volumes = claimed.volumes?.map((one) => ({ ...one, state: "retired" as const, retiredAt: 0 })) ?? [];
        return { ...claimed, volumes };
      },
    }),
    deps: (deps) => ({ ...deps, settings: { ...deps.settings, housekeepingIntervalMs: 5_000 } }),
  },
  {
    name: "reapVerify",
    what: "the archive is not read again before the volume it replaced is removed",
    caughtBy: ["I7"],
    deps: (deps) => ({ ...deps, jobs: { ...deps.jobs, verify: () => Promise.resolve() } }),
  },
  {
    name: "sourceKept",
    what: "a proxy that died is waited for by everybody, for ever",
    caughtBy: ["L"],
    decisions: () => ({
      requestDemotion: (input) =>
        DECISIONS.requestDemotion({ ...input, gap: input.gap === null ? null : { ...input.gap, of: "buffer" } }),
    }),
  },
  {
    name: "sourceRegistered",
    what: "a proxy that died stays registered for ever",
    caughtBy: ["L"],
    deps: (deps) => ({ ...deps, activity: { ...deps.activity, forgetSilent: () => Promise.resolve() } }),
  },
  {
    name: "sourceForgotten",
    what: "a proxy that does not flush is forgotten at once",
    caughtBy: ["I14"],
    deps: (deps, { db }) => ({
      ...deps,
      activity: {
        ...deps.activity,
        sources: async () =>
          (await deps.activity.sources()).filter(
            ({ flushedAt }) => db.now - flushedAt <= deps.settings.activitySilenceMs,
          ),
      },
    }),
  },
  {
    name: "routeDel",
    what: "the proxy does not look at deleted_at",
    caughtBy: ["I11"],
    rules: { route: ({ oracle }, row) => oracle.routable({ ...row, deletedAt: null, phase: "RUNNING" }) },
  },
  {
    name: "zeroContainers",
    what: "containers are not looked for before a home is archived",
    caughtBy: ["I9", "I3"],
    prepare: ({ jobs }) => {
      jobs.tricks = { ...HONEST, checksContainers: false };
    },
    deps: (deps, { db }) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        inspect: async (id) => (db.rows.get(id)?.desiredState === "RUNNING" ? await deps.runtime.inspect(id) : []),
      },
    }),
  },
  {
    name: "I8",
    what: "a container is started on the volume that was retired last",
    caughtBy: ["I8"],
    deps: (deps, { oracle, world }) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        start: (spec, signal) => {
          const old = [...oracle.truth(spec.workspaceId).left].find((name) => world.volumes.has(name));
          return deps.runtime.start({ ...spec, volume: old ?? spec.volume }, signal);
        },
      },
    }),
  },
  {
    name: "I10",
    what: "the endpoint of another workspace's container is recorded",
    caughtBy: ["I10"],
    decisions: ({ world }) => ({
      commit: (facts, input) => {
        const { made } = input;
        const other = [...world.containers.values()].find((one) => one.workspaceId !== facts.row.id);
        if (made.kind !== "container" || other === undefined || other.attempt === null) {
          return DECISIONS.commit(facts, input);
        }
        const endpoint = { ...made.endpoint, containerId: other.id, attempt: other.attempt };
        return DECISIONS.commit(facts, { ...input, made: { ...made, endpoint } });
      },
    }),
  },
  {
    name: "I12",
    what: "an operation that failed once is never planned again",
    caughtBy: ["I12"],
    decisions: () => ({
      plan: (row, now) => (row.errorInfo === null ? DECISIONS.plan(row, now) : { kind: "rest", why: "in_error" }),
    }),
  },
  {
    name: "I13",
    what: "a restore takes any format",
    caughtBy: ["I13"],
    prepare: ({ jobs }) => {
      jobs.tricks = { ...HONEST, checksFormat: false };
    },
  },
  {
    name: "I18",
    what: "a home that is gone is silently replaced",
    caughtBy: ["I18"],
    decisions: () => ({
      observe: (facts, observation, rowVersion) => {
        const seen = DECISIONS.observe(facts, observation, rowVersion);
        return seen?.patch.errorReason === "DataLost" ? { ...seen, patch: { ...seen.patch, homeVolume: null } } : seen;
      },
    }),
  },
  {
    name: "I19",
    what: "nobody counts before a workspace is started",
    caughtBy: ["I19"],
    rules: {
      requestLevel: (input, level, _limits, actor) => requestLevel(input, level, NO_LIMITS, actor),
      requestWake: (input, _limits, actor) => requestWake(input, NO_LIMITS, actor),
    },
  },
];
