import type { MixBounds } from "./rules.ts";

/** A bounded supply of faults and wishes under which the protocol must hold, whatever the order. */
export interface Mix {
  readonly name: string;
  readonly bounds: MixBounds;
  /** Ask also whether the system can settle from every state. */
  readonly liveness: boolean;
  /** Small enough for every push. */
  readonly quick: boolean;
}

const safety = (name: string, bounds: MixBounds): Mix => ({ name, bounds, liveness: false, quick: false });
const quick = (name: string, bounds: MixBounds): Mix => ({ name, bounds, liveness: false, quick: true });
const live = (name: string, bounds: MixBounds): Mix => ({ name: `live: ${name}`, bounds, liveness: true, quick: true });

const CYCLE = ["run", "archive"] as const;
const EVERY_WISH = ["run", "standby", "archive", "reset", "undo-reset", "delete", "purge", "undelete", "wake"] as const;

/** Archive and restore, over and over, while things break. */
const DATA_PATH: readonly Mix[] = [
  quick("two crashes", { wishes: CYCLE, left: { wishes: 4, crashes: 2 } }),
  safety("two zombies", { wishes: CYCLE, left: { wishes: 4, freezes: 2 } }),
  safety("crash + zombie + timeout + late write", {
    wishes: CYCLE,
    left: { crashes: 1, freezes: 1, failures: 1, lateWrites: 1 },
  }),
  quick("zombie + GC", { wishes: CYCLE, left: { wishes: 4, freezes: 1 } }),
  quick("corrupt upload + crash", { wishes: CYCLE, left: { wishes: 4, corruptions: 1, crashes: 1 } }),
  quick("overlap", { wishes: CYCLE, left: { wishes: 4, overlaps: 1 } }),
  safety("overlap + crash + zombie", { wishes: CYCLE, left: { overlaps: 1, crashes: 1, freezes: 1 } }),
  safety("overlap + corrupt upload + re-run + late write + timeout", {
    wishes: CYCLE,
    left: { wishes: 2, overlaps: 1, corruptions: 1, reruns: 1, lateWrites: 1, failures: 1 },
  }),
  quick("hung observations + crash", { wishes: CYCLE, left: { hangs: 2, crashes: 1 } }),
  quick("lost answers + crash", { wishes: CYCLE, left: { lostAnswers: 2, crashes: 1 } }),
  safety("lost answers + zombie + hung observation", {
    wishes: CYCLE,
    left: { wishes: 4, lostAnswers: 2, freezes: 1, hangs: 1 },
  }),
  quick("disk lost + crash", { wishes: CYCLE, left: { diskLosses: 1, crashes: 1 } }),
  quick("archive lost in the store + zombie", { wishes: CYCLE, left: { storeLosses: 1, freezes: 1 } }),
  quick("zombie + re-run + slow proxy", { wishes: CYCLE, slowProxy: true, left: { freezes: 1, reruns: 1 } }),
];

/** Delete, undo, purge and reset, while things break. */
const LIFECYCLE: readonly Mix[] = [
  quick("every wish, no fault", { wishes: EVERY_WISH }),
  safety("every wish x4, no fault", { wishes: EVERY_WISH, left: { wishes: 4 } }),
  quick("crash: delete, undo", { wishes: ["run", "delete", "undelete"], left: { crashes: 1 } }),
  safety("crash: reset, undo", { wishes: ["run", "reset", "undo-reset", "delete"], left: { wishes: 4, crashes: 1 } }),
  quick("crash: purge", { wishes: ["archive", "purge", "delete"], left: { crashes: 1 } }),
  safety("zombie: delete, undo", { wishes: ["run", "delete", "undelete"], left: { wishes: 4, freezes: 1 } }),
  safety("zombie: reset, undo", { wishes: ["run", "reset", "undo-reset", "archive"], left: { freezes: 1 } }),
  safety("zombie: purge", { wishes: ["run", "archive", "purge"], left: { freezes: 1 } }),
  safety("timeout + late write: delete, undo", {
    wishes: ["run", "delete", "undelete"],
    left: { wishes: 4, failures: 1, lateWrites: 1 },
  }),
  safety("timeout + late write: reset, undo", {
    wishes: ["run", "reset", "undo-reset", "archive"],
    left: { failures: 1, lateWrites: 1 },
  }),
  quick("timeout + late write: purge", {
    wishes: ["archive", "purge", "delete"],
    left: { failures: 1, lateWrites: 1 },
  }),
  quick("no archive ever succeeds: delete, undo, purge, reset", {
    wishes: ["delete", "undelete", "purge", "reset"],
    archivesFail: true,
    left: { failures: 1 },
  }),
  safety("TTL x2 + crash: every wish but purge", {
    wishes: ["repeat", "wake", "run", "delete", "undelete", "reset"],
    left: { ttlRuns: 2, crashes: 1, writes: 1 },
  }),
  safety("crash + zombie: delete, undo", {
    wishes: ["run", "delete", "undelete"],
    left: { wishes: 4, crashes: 1, freezes: 1 },
  }),
  safety("crash + zombie: reset", { wishes: ["run", "reset"], left: { crashes: 1, freezes: 1, writes: 1 } }),
  safety("crash + timeout + late write: delete, undo, reset", {
    wishes: ["delete", "undelete", "reset", "undo-reset"],
    left: { crashes: 1, failures: 1, lateWrites: 1, writes: 1 },
  }),
  safety("zombie + timeout + late write: delete, undo", {
    wishes: ["run", "delete", "undelete"],
    left: { wishes: 4, freezes: 1, failures: 1, lateWrites: 1, writes: 1 },
  }),
  safety("crash + zombie + timeout + late write: delete, undo", {
    wishes: ["delete", "undelete"],
    left: { crashes: 1, freezes: 1, failures: 1, lateWrites: 1, writes: 1, wishes: 2 },
  }),
  safety("crash + zombie + timeout + late write: reset", {
    wishes: ["run", "reset"],
    left: { crashes: 1, freezes: 1, failures: 1, lateWrites: 1, writes: 1, wishes: 2 },
  }),
  safety("corrupt upload + hung observation + lost answer + overlap: every wish", {
    wishes: EVERY_WISH,
    left: { corruptions: 1, hangs: 1, lostAnswers: 1, overlaps: 1, writes: 1, wishes: 2 },
  }),
];

/** A repository is got into the home before anybody works in it, while things break and people change their minds. */
const REPOSITORY = ["run", "archive", "repository", "skip"] as const;
const PREPARING: readonly Mix[] = [
  quick("repository: asked for, another, not waited for", {
    wishes: [...REPOSITORY, "delete"],
    repository: true,
    left: { asks: 1, skips: 1, wishes: 2, writes: 1 },
  }),
  quick("repository: crash", {
    wishes: REPOSITORY,
    repository: true,
    left: { asks: 1, skips: 1, wishes: 2, writes: 1, crashes: 1 },
  }),
  safety("repository: two crashes", {
    wishes: REPOSITORY,
    repository: true,
    left: { asks: 1, skips: 1, wishes: 2, writes: 1, crashes: 2 },
  }),
  quick("repository: zombie", { wishes: REPOSITORY, repository: true, left: { wishes: 2, writes: 1, freezes: 1 } }),
  safety("repository: zombie, another", {
    wishes: REPOSITORY,
    repository: true,
    left: { asks: 1, skips: 1, wishes: 2, writes: 1, freezes: 1 },
  }),
  safety("repository: crash + zombie + timeout", {
    wishes: ["archive", "skip"],
    repository: true,
    left: { skips: 1, wishes: 1, writes: 1, crashes: 1, freezes: 1, failures: 1 },
  }),
  safety("repository: every wish about it x2", {
    wishes: [...REPOSITORY, "standby", "delete", "undelete"],
    repository: true,
    left: { asks: 2, skips: 1, writes: 1 },
  }),
  safety("repository: launched once more + overlap + hung observation + lost answer", {
    wishes: ["run", "archive", "skip"],
    repository: true,
    left: { skips: 1, wishes: 2, writes: 1, reruns: 1, overlaps: 1, hangs: 1, lostAnswers: 1 },
  }),
  safety("repository: reset, undo", {
    wishes: ["run", "archive", "reset", "undo-reset", "repository"],
    repository: true,
    left: { asks: 1, wishes: 4, writes: 1 },
  }),
  safety("repository: reset, undo, crash", {
    wishes: ["run", "archive", "reset", "undo-reset", "repository"],
    repository: true,
    left: { asks: 1, wishes: 3, writes: 1, crashes: 1 },
  }),
  safety("repository: delete, undo, purge, zombie", {
    wishes: ["delete", "undelete", "purge", "repository"],
    repository: true,
    left: { asks: 1, writes: 1, freezes: 1 },
  }),
  quick("repository: disk lost + crash", {
    wishes: [...REPOSITORY],
    repository: true,
    left: { asks: 1, wishes: 2, writes: 1, diskLosses: 1, crashes: 1 },
  }),
];

/** Faults may have happened; once they stop, the system must be able to reach what was asked for. */
const LIVENESS: readonly Mix[] = [
  live("every wish, no fault", { wishes: EVERY_WISH, left: { writes: 1 } }),
  live("crash: purge, delete, reset", {
    wishes: ["purge", "delete", "reset"],
    left: { wishes: 2, writes: 1, crashes: 1 },
  }),
  live("zombie: purge, delete, reset", {
    wishes: ["purge", "delete", "reset"],
    left: { wishes: 2, writes: 1, freezes: 1 },
  }),
  live("timeout + late write: purge, delete, undo", {
    wishes: ["purge", "delete", "undelete"],
    left: { wishes: 2, writes: 1, failures: 1, lateWrites: 1 },
  }),
  live("TTL: delete, undo, wake", {
    wishes: ["repeat", "wake", "delete", "undelete"],
    left: { wishes: 2, writes: 1, ttlRuns: 2 },
  }),
  live("no archive ever succeeds: delete, purge", {
    wishes: ["delete", "purge"],
    archivesFail: true,
    left: { wishes: 2, writes: 1, failures: 1 },
  }),
  live("crash + zombie: delete, purge, undo", {
    wishes: ["purge", "delete", "undelete"],
    left: { wishes: 2, writes: 1, crashes: 1, freezes: 1 },
  }),
  live("zombie + timeout + late write: delete, reset", {
    wishes: ["delete", "reset"],
    left: { wishes: 2, writes: 1, freezes: 1, failures: 1, lateWrites: 1 },
  }),
  live("overlap + corrupt upload + hung observation + lost answer", {
    wishes: CYCLE,
    left: { wishes: 2, writes: 1, overlaps: 1, corruptions: 1, hangs: 1, lostAnswers: 1 },
  }),
  live("repository: crash + timeout: another, not waited for", {
    wishes: ["repository", "skip"],
    repository: true,
    left: { asks: 1, skips: 1, writes: 1, crashes: 1, failures: 1 },
  }),
  live("repository: zombie + launched once more: archive, restore", {
    wishes: CYCLE,
    repository: true,
    left: { wishes: 2, writes: 1, freezes: 1, reruns: 1 },
  }),
  live("repository: git never gets it", {
    wishes: ["repository", "skip"],
    repository: true,
    gitFails: true,
    left: { asks: 1, skips: 1, writes: 1, crashes: 1 },
  }),
  {
    ...live("zombie + timeout + re-run: archive, restore", {
      wishes: CYCLE,
      left: { freezes: 1, failures: 1, reruns: 1 },
    }),
    quick: false,
  },
];

export const MIXES: readonly Mix[] = [...DATA_PATH, ...LIFECYCLE, ...PREPARING, ...LIVENESS];
