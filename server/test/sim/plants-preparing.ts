import { DECISIONS } from "#coordinator/deps.ts";
import type { CommitInput } from "#core/rules/completion.ts";
import type { Cluster } from "./cluster.ts";
import { HONEST } from "./job-steps.ts";
import type { Plant } from "./plant.ts";

/** Everybody may begin beside a job that prepares a home: the engine's own line of defence is away. */
function crowded({ jobs }: Cluster): void {
  jobs.tricks = { ...HONEST, alone: false };
}

function noted(input: CommitInput, change: object): CommitInput {
  const { made } = input;
  const { setup } = made.kind === "note" ? made.homeCtx : {};
  return setup == null ? input : { ...input, made: { kind: "note", homeCtx: { setup: { ...setup, ...change } } } };
}

/** Ways to let two at one home, to lose what a person asked for, or to say what is not so about a repository. */
export const PREPARING: readonly Plant[] = [
  {
    name: "P1",
    what: "an operation is taken over without ending what prepares the home",
    caughtBy: ["I9"],
    prepare: crowded,
    deps: (deps, { db }) => ({
      ...deps,
      jobs: {
        ...deps.jobs,
        end: async (id) => (db.rows.get(id)?.operation === "PREPARING" ? undefined : await deps.jobs.end(id)),
      },
    }),
  },
  {
    name: "P2",
    what: "a preparation is committed without a look whether its job is gone",
    caughtBy: ["I9"],
    prepare: crowded,
    deps: (deps, { db }) => ({
      ...deps,
      jobs: {
        ...deps.jobs,
        find: async (id) => (db.rows.get(id)?.operation === "PREPARING" ? [] : await deps.jobs.find(id)),
      },
    }),
  },
  {
    name: "P2-skip",
    what: "what nobody waits for is told to be over while its job writes",
    caughtBy: ["I9"],
    prepare: crowded,
    deps: (deps, { db }) => ({
      ...deps,
      jobs: {
        ...deps.jobs,
        find: async (id) => (db.rows.get(id)?.operation === "PREPARING" ? [] : await deps.jobs.find(id)),
      },
      setup: {
        ...deps.setup,
        prepare: (spec, options) =>
          Promise.race([
            deps.setup.prepare(spec, { ...options, signal: new AbortController().signal }),
            new Promise<never>((_, reject) => {
              options.signal.addEventListener("abort", () => reject(new Error("given up")), { once: true });
            }),
          ]),
      },
    }),
  },
  {
    name: "P3",
    what: "a request that comes late starts a job on a home that is in use",
    caughtBy: ["I9"],
    prepare: crowded,
  },
  {
    name: "P3-start",
    what: "a workspace is started although its home is still being prepared",
    caughtBy: ["I9", "I22"],
    prepare: crowded,
    deps: (deps) => ({
      ...deps,
      setup: {
        ...deps.setup,
        prepare: (spec, options) => {
          const { folder, cloneUrl } = spec.source;
          void deps.setup.prepare(spec, { ...options, signal: new AbortController().signal }).catch(() => {});
          const nothing = { subfolder: null, branch: null, failure: null, partial: [], devcontainer: null };
          return Promise.resolve({ ...nothing, folder, commit: cloneUrl, devcontainers: [], log: "" });
        },
      },
      jobs: { ...deps.jobs, find: () => Promise.resolve([]) },
    }),
  },
  {
    name: "P4",
    what: "what git could not do is not put on record, and tried again for ever",
    caughtBy: ["I12"],
    decisions: () => ({
      commit: (facts, input) => {
        const { made } = input;
        const failed = made.kind === "note" && made.homeCtx.setup?.state === "failed";
        return DECISIONS.commit(facts, failed ? noted(input, { version: 0 }) : input);
      },
    }),
    // Of a repository that is not there.
    deps: (deps) => ({
      ...deps,
      setup: {
        ...deps.setup,
        prepare: async (spec, options) => {
          const failure = { step: "cloning", exitCode: 128, said: "no", near: [] } as const;
          return { ...(await deps.setup.prepare(spec, options)), folder: null, commit: null, failure };
        },
      },
    }),
  },
  {
    name: "P5",
    what: "a home is archived while what prepares it writes",
    caughtBy: ["I9"],
    prepare: crowded,
    deps: (deps, { db }) => ({
      ...deps,
      jobs: {
        ...deps.jobs,
        end: async (id) => {
          const row = db.rows.get(id);
          if (row?.source == null) await deps.jobs.end(id);
        },
        find: () => Promise.resolve([]),
      },
    }),
  },
  {
    name: "P6",
    what: "the note of an older request answers the newer one",
    caughtBy: ["I22"],
    decisions: () => ({
      commit: (facts, input) => DECISIONS.commit(facts, noted(input, { version: facts.row.setupWanted })),
    }),
  },
  {
    name: "P7",
    what: "what was prepared is still believed of the empty home after a reset",
    caughtBy: ["I22"],
    decisions: () => ({
      commit: (facts, input) => {
        const mutation = DECISIONS.commit(facts, input);
        const { setup } = facts.row.homeCtx;
        if (mutation?.patch.homeCtx === undefined || input.made.kind !== "home" || setup === null) return mutation;
        return { ...mutation, patch: { ...mutation.patch, homeCtx: { ...mutation.patch.homeCtx, setup } } };
      },
    }),
  },
];
