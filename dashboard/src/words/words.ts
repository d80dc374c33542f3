import { catalogue, type Operation, type Phase, type Workspace } from "@codehub/contract";

/** The colours of the lifecycle beside its words. Classes are written out whole, because Tailwind looks for them so. */
export interface Look {
  readonly word: string;
  readonly meaning: string;
  readonly dot: string;
  readonly text: string;
  readonly soft: string;
  readonly fill: string;
}

const tones = {
  running: { dot: "bg-running", text: "text-running", soft: "bg-running-soft", fill: "fill-running" },
  standby: { dot: "bg-standby", text: "text-standby", soft: "bg-standby-soft", fill: "fill-standby" },
  archived: { dot: "bg-archived", text: "text-archived", soft: "bg-archived-soft", fill: "fill-archived" },
  pending: { dot: "bg-pending", text: "text-pending", soft: "bg-pending-soft", fill: "fill-pending" },
  error: { dot: "bg-error", text: "text-error", soft: "bg-error-soft", fill: "fill-error" },
} as const;

const look = (phase: Phase, tone: keyof typeof tones): Look => ({ ...catalogue.phases[phase], ...tones[tone] });

export const phaseLook: Readonly<Record<Phase, Look>> = {
  PENDING: look("PENDING", "pending"),
  ARCHIVED: look("ARCHIVED", "archived"),
  STANDBY: look("STANDBY", "standby"),
  RUNNING: look("RUNNING", "running"),
  ERROR: look("ERROR", "error"),
  DELETING: look("DELETING", "pending"),
  DELETED: look("DELETED", "pending"),
};

/** The levels in order, as the rail draws them. */
export const levels = ["PENDING", "ARCHIVED", "STANDBY", "RUNNING"] as const satisfies readonly Phase[];
export type Level = (typeof levels)[number];

type Work = Exclude<Operation, "NONE">;

interface Way {
  readonly from: Level | null;
  readonly to: Level | null;
  /** What the storage job calls the steps of the operation; null for those that no job reports. */
  readonly stages: readonly (string | null | readonly string[])[];
}

const preparingStages = ["resolving", "cloning", "checking_out", ["submodules", "lfs", "dotfiles"], "reading"] as const;

const ways: Readonly<Record<Work, Way>> = {
  PROVISIONING: { from: "PENDING", to: "STANDBY", stages: [] },
  RESTORING: { from: "ARCHIVED", to: "STANDBY", stages: [null, "unpacking", "comparing"] },
  PREPARING: { from: "STANDBY", to: "STANDBY", stages: preparingStages },
  STARTING: { from: "STANDBY", to: "RUNNING", stages: [] },
  STOPPING: { from: "RUNNING", to: "STANDBY", stages: [] },
  ARCHIVING: { from: "STANDBY", to: "ARCHIVED", stages: ["packing", "checking"] },
  CREATE_EMPTY_ARCHIVE: { from: "PENDING", to: "ARCHIVED", stages: [] },
  DISCARDING: { from: "ARCHIVED", to: "PENDING", stages: [] },
  DELETING: { from: null, to: null, stages: [] },
};

export const wayOf = (operation: Work): Way => ways[operation];

/** Which step of the operation is under way: the job or what it waits for says it, or nobody can tell and none is claimed. */
export function currentStep({ operation, progress }: Pick<Workspace, "operation" | "progress">): number | null {
  if (operation === "NONE" || progress === null) return null;
  if (operation === "STARTING" && progress.waiting !== undefined) return progress.waiting.code === "answering" ? 2 : 1;
  const index = ways[operation].stages.findIndex((stage) => [stage].flat().includes(progress.stage));
  return index === -1 ? null : index;
}

/** The word beside the dot: what it is doing if it does something, else what it is. */
export const statusWord = (workspace: Pick<Workspace, "operation" | "phase">): string =>
  workspace.operation === "NONE" ? phaseLook[workspace.phase].word : catalogue.operations[workspace.operation].word;
