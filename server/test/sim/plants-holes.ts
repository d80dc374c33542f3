import { DECISIONS } from "#coordinator/deps.ts";
import { volumeName } from "#core/rows/names.ts";
import { CLEARED, withPhase } from "#core/rules/transitions.ts";
import { HONEST } from "./job-steps.ts";
import type { Plant } from "./plant.ts";
import { pause, withStore } from "./plant-tools.ts";

const made = (workspaceId: string) => ({ workspaceId, attempt: "", archiveKey: null, manifestDigest: null });

/** Holes that a literal reading of the first design has, each as somebody would have built it. */
export const HOLES: readonly Plant[] = [
  {
    name: "H1",
    what: "a new leader takes any archive_key for this attempt's and lets go of the volume",
    caughtBy: ["I3"],
    decisions: () => ({
      takeOver: (facts, input) => {
        const { row, volumes, now } = facts;
        if (row.operation !== "ARCHIVING" || row.archiveKey === null) return DECISIONS.takeOver(facts, input);
        const retired = volumes.filter((one) => one.name === row.homeVolume);
        return {
          patch: withPhase(row, { ...CLEARED, homeVolume: null }, now),
          volumes: retired.map((one) => ({ ...one, state: "retired" as const, retiredAt: now })),
        };
      },
    }),
  },
  {
    name: "H2",
    what: "a restore that was interrupted counts as done because the archive is whole",
    caughtBy: ["I3", "I6"],
    decisions: () => ({
      takeOver: (facts, input) => {
        const { row, now } = facts;
        if (row.operation !== "RESTORING" || row.opId === null) return DECISIONS.takeOver(facts, input);
        return { patch: withPhase(row, { ...CLEARED, homeVolume: volumeName(row.id, row.opId) }, now) };
      },
    }),
  },
  {
    name: "H3",
    what: "a restore marker of an earlier restore makes the next one look done",
    caughtBy: ["I3", "I6"],
    decisions: () => ({
      claim: (facts, input) => {
        const claimed = DECISIONS.claim(facts, input);
        if (claimed === null) return null;
        const { homeCtx: _, ...patch } = claimed.patch;
        return { ...claimed, patch };
      },
    }),
    deps: (deps, { db }) => ({
      ...deps,
      jobs: {
        ...deps.jobs,
        restore: async (spec, options) => {
          const { key, workspaceId, attempt, expected } = spec;
          if (db.rows.get(workspaceId)?.homeCtx.restoreMarker !== key) return await deps.jobs.restore(spec, options);
          const identity = { workspaceId, attempt, archiveKey: key, manifestDigest: expected.manifestDigest };
          await deps.volumes.seal(spec.volume, identity);
          return { given: 0 };
        },
      },
    }),
  },
  {
    name: "H4",
    what: "the attempt's id is kept after an error and used again, so an old upload counts as the new one",
    caughtBy: ["I3", "I5"],
    decisions: () => ({
      claim: (facts, input) => {
        const kept = input.operation === "ARCHIVING" ? facts.row.archiveOpId : null;
        return DECISIONS.claim(facts, { ...input, opId: kept ?? input.opId });
      },
    }),
  },
  {
    name: "H5",
    what: "a deposed leader's writes are not refused",
    caughtBy: ["I4"],
    unfenced: true,
  },
  {
    name: "H6",
    what: "a second try of the same attempt runs beside the first",
    caughtBy: ["I9", "I2", "I3"],
    prepare: ({ jobs }) => {
      jobs.tricks = { ...HONEST, respectsIdentity: false };
    },
    deps: (deps) => ({
      ...deps,
      jobs: {
        ...deps.jobs,
        find: () => Promise.resolve([]),
        restore: (spec, options) => {
          void pause(deps, 1)
            .then(() => deps.jobs.restore(spec, { ...options, signal: new AbortController().signal }))
            .catch(() => undefined);
          return deps.jobs.restore(spec, options);
        },
      },
    }),
  },
  {
    name: "H7",
    what: "a timeout frees the row while the job still runs, and the next try shares its names",
    caughtBy: ["I9", "I2", "I3", "I5"],
    prepare: ({ jobs }) => {
      jobs.tricks = { ...HONEST, respectsIdentity: false, endsJobs: false };
    },
    decisions: () => ({ takeOver: (facts, input) => DECISIONS.takeOver(facts, { ...input, freshOpId: input.opId }) }),
    deps: (deps) => ({
      ...deps,
      jobs: { ...deps.jobs, find: () => Promise.resolve([]) },
      volumes: { ...deps.volumes, create: async (spec) => (await deps.volumes.create(spec)) || true },
    }),
  },
  {
    name: "H8",
    what: "an engine that does not answer reads as absent, and a home the row knows is built over",
    caughtBy: ["I17"],
    decisions: () => ({
      plan: (row, now) => {
        const absent = row.conditions["storage.volume_ready"]?.status === false;
        const seen: typeof row = absent
          ? { ...row, homeVolume: null, phase: row.archiveKey ? "ARCHIVED" : "PENDING" }
          : row;
        return DECISIONS.plan(seen, now);
      },
    }),
    deps: (deps) => ({
      ...deps,
      volumes: { ...deps.volumes, inspect: (name) => deps.volumes.inspect(name).catch(() => null) },
    }),
  },
  {
    name: "H10",
    what: "garbage collection reads the rows first and lists the store afterwards, and marks need not age",
    caughtBy: ["I7"],
    deps: (deps, { db }) => {
      let rows = new Map(db.rows);
      let archives = new Map(db.archives);
      const facts = (key: string) => ({
        key,
        record: archives.get(key) ?? null,
        row: rows.get(key.slice(0, 36)) ?? null,
      });
      const reading = withStore(deps, (store) => ({
        readArchives: (keys) => Promise.resolve(keys.map(facts)),
        giveUpArchive: (key, retryMs, decide) =>
          store.giveUpArchive(key, retryMs, ({ now }) => decide({ ...facts(key), markedAt: 0, now })),
      }));
      const list = async () => {
        rows = new Map(db.rows);
        archives = new Map(db.archives);
        await pause(deps, 20);
        return await deps.archives.list();
      };
      const settings = {
        ...deps.settings,
        gcIntervalMs: 30 * 60_000,
        gcMarkAgeMs: 0,
        gcRemovalIntervalMs: 60_000,
      };
      return { ...reading, settings, archives: { ...deps.archives, list } };
    },
  },
  {
    name: "H11",
    what: "an upload is believed without being read back",
    caughtBy: ["I6"],
    prepare: ({ jobs }) => {
      jobs.tricks = { ...HONEST, readsBack: false };
    },
  },
  {
    name: "H12",
    what: "the volume is removed by ARCHIVING itself, before the row has moved",
    caughtBy: ["I7"],
    deps: (deps) => ({
      ...deps,
      jobs: {
        ...deps.jobs,
        archive: async (spec, options) => {
          const facts = await deps.jobs.archive(spec, options);
          await deps.volumes.remove(spec.volume);
          return facts;
        },
      },
    }),
  },
  {
    name: "H14",
    what: "a container on a missing volume gets an empty one that the engine makes up",
    caughtBy: ["I2"],
    deps: (deps, { world }) => ({
      ...deps,
      volumes: {
        ...deps.volumes,
        inspect: (name) => Promise.resolve({ name, workspaceId: name.slice(3, 39), attempt: "" }),
        identity: (name) => Promise.resolve(world.volumes.get(name)?.identity ?? made(name.slice(3, 39))),
      },
      runtime: {
        ...deps.runtime,
        start: (spec, signal) => {
          if (world.createVolume(spec.volume, spec.workspaceId, spec.attempt)) {
            Object.assign(world.volumes.get(spec.volume) ?? {}, { content: "E", identity: made(spec.workspaceId) });
          }
          return deps.runtime.start(spec, signal);
        },
      },
    }),
  },
  {
    name: "H18",
    what: "activity that arrives while the buffer is drained is removed with it",
    caughtBy: ["I14"],
    prepare: ({ activity }) => {
      activity.compares = false;
    },
    deps: (deps) => ({
      ...deps,
      activity: {
        ...deps.activity,
        removeUnchanged: async (entries) => {
          await pause(deps, 6);
          return await deps.activity.removeUnchanged(entries);
        },
      },
    }),
  },
  {
    name: "H19",
    what: "the TTL runner checks, and sets later",
    caughtBy: ["IW"],
    deps: (deps, { db }) => ({
      ...deps,
      requestStore: {
        ...deps.requestStore,
        change: async (id, options, decide) => {
          const row = db.rows.get(id) ?? null;
          await pause(deps, 10);
          return await deps.requestStore.change(id, options, (facts) => decide({ ...facts, row }));
        },
      },
    }),
  },
];
