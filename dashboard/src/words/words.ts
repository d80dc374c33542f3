import type { ErrorReason, Operation, Phase, Workspace } from "@codehub/contract";

/** The words and colours of the lifecycle, once. Classes are written out whole, because Tailwind looks for them so. */
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

const look = (word: string, meaning: string, tone: keyof typeof tones): Look => ({ word, meaning, ...tones[tone] });

export const phaseLook: Readonly<Record<Phase, Look>> = {
  PENDING: look("Empty", "No home yet; opening makes one", "pending"),
  ARCHIVED: look("Archived", "Rests in a verified archive", "archived"),
  STANDBY: look("Standby", "Home on disk, nothing runs", "standby"),
  RUNNING: look("Running", "The IDE is up", "running"),
  ERROR: look("Error", "Something needs you", "error"),
  DELETING: look("Deleting", "On its way to the trash", "pending"),
  DELETED: look("Deleted", "In the trash", "pending"),
};

/** The levels in order, as the rail draws them. */
export const levels = ["PENDING", "ARCHIVED", "STANDBY", "RUNNING"] as const satisfies readonly Phase[];
export type Level = (typeof levels)[number];

export interface OperationWords {
  /** Beside the dot. */
  readonly word: string;
  readonly doing: string;
  readonly noun: string;
  readonly from: Level | null;
  readonly to: Level | null;
  /** What happens inside, in order; `stage` is what the storage job calls it. */
  readonly steps: readonly { readonly text: string; readonly stage?: string }[];
}

export const operationWords: Readonly<Record<Exclude<Operation, "NONE">, OperationWords>> = {
  PROVISIONING: {
    word: "Preparing",
    doing: "Preparing a home",
    noun: "Prepare a home",
    from: "PENDING",
    to: "STANDBY",
    steps: [{ text: "Make a new volume" }, { text: "Write its identity and check it" }],
  },
  RESTORING: {
    word: "Restoring",
    doing: "Restoring the home",
    noun: "Restore the home",
    from: "ARCHIVED",
    to: "STANDBY",
    steps: [
      { text: "Check the archive and the free space" },
      { text: "Unpack into a new volume", stage: "unpacking" },
      { text: "Compare every file with the manifest", stage: "comparing" },
    ],
  },
  STARTING: {
    word: "Starting",
    doing: "Starting",
    noun: "Start",
    from: "STANDBY",
    to: "RUNNING",
    steps: [
      { text: "Remove leftovers" },
      { text: "Start the container with the home" },
      { text: "Wait until the IDE answers" },
    ],
  },
  STOPPING: {
    word: "Stopping",
    doing: "Stopping",
    noun: "Stop",
    from: "RUNNING",
    to: "STANDBY",
    steps: [{ text: "Ask the container to end" }, { text: "Confirm that nothing uses the home" }],
  },
  ARCHIVING: {
    word: "Archiving",
    doing: "Archiving the home",
    noun: "Archive the home",
    from: "STANDBY",
    to: "ARCHIVED",
    steps: [
      { text: "Pack and upload the home", stage: "packing" },
      { text: "Read it back and compare", stage: "checking" },
      { text: "Make the archive the home; keep the volume a while longer" },
    ],
  },
  CREATE_EMPTY_ARCHIVE: {
    word: "Preparing",
    doing: "Making an empty archive",
    noun: "Make an empty archive",
    from: "PENDING",
    to: "ARCHIVED",
    steps: [{ text: "Write an empty archive" }, { text: "Read it back" }],
  },
  DISCARDING: {
    word: "Emptying",
    doing: "Emptying the home",
    noun: "Empty the home",
    from: "ARCHIVED",
    to: "PENDING",
    steps: [{ text: "Move the archive to the trash" }],
  },
  DELETING: {
    word: "Deleting",
    doing: "Deleting",
    noun: "Delete",
    from: null,
    to: null,
    steps: [{ text: "Confirm that no container is left" }, { text: "Let go of the home" }],
  },
};

/** The word beside the dot: what it is doing if it does something, else what it is. */
export const statusWord = (workspace: Pick<Workspace, "operation" | "phase">): string =>
  workspace.operation === "NONE" ? phaseLook[workspace.phase].word : operationWords[workspace.operation].word;

export const errorTitle: Readonly<Record<ErrorReason, string>> = {
  Timeout: "It took too long and was stopped",
  RetryExceeded: "It failed three times in a row",
  ActionFailed: "An attempt failed",
  DataLost: "The volume with the home is gone",
  Unreachable: "The engine or the store cannot be reached",
  ImagePullFailed: "The image could not be fetched",
  ContainerWithoutVolume: "A container runs without its home",
  ArchiveCorrupted: "The archive does not match its checksum",
  ArchiveAccessError: "The archive cannot be read",
  DiskFull: "The disk is full",
};

/** In the order people ask: is it well, is my home there, does it run. */
export const conditionTitle: Readonly<Record<string, string>> = {
  "policy.healthy": "Healthy",
  "storage.volume_ready": "Home on disk",
  "storage.archive_ready": "Archive readable",
  "infra.container_present": "Container present",
  "infra.container_ready": "IDE answers",
};

export const wishWords: Readonly<Record<Workspace["desired_state"], string>> = {
  RUNNING: "running",
  STANDBY: "on standby",
  ARCHIVED: "archived",
  PENDING: "emptied",
  DELETED: "deleted",
};
