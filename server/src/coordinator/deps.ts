import { answerRequest } from "#core/requests/answer-request.ts";
import { recordGrowth } from "#core/requests/home-size.ts";
import { recordWord, useWord } from "#core/requests/node-off.ts";
import { requestDemotion, requestRest } from "#core/requests/requests.ts";
import { commit } from "#core/rules/completion.ts";
import { takenAway } from "#core/rules/container-end.ts";
import { isCrashLooping } from "#core/rules/crash-loop.ts";
import { diskSeen } from "#core/rules/disk.ts";
import { mayReap, protection } from "#core/rules/gc.ts";
import { isLeftover } from "#core/rules/judge.ts";
import { plan } from "#core/rules/plan.ts";
import { judgeFormerLeader } from "#core/rules/succession.ts";
import {
  claim,
  expire,
  fail,
  giveUpOnContainer,
  observe,
  recordRestoreTest,
  takeOver,
} from "#core/rules/transitions.ts";
import type { LargestSize } from "#core/setup/fields.ts";
import type { ActivityBuffer } from "#ports/activity.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import type { Clock, Ids } from "#ports/clock.ts";
import type { Election } from "#ports/election.ts";
import type { SetupJobs, StorageJobs } from "#ports/jobs.ts";
import type { Keyring } from "#ports/keyring.ts";
import type { Logger } from "#ports/logger.ts";
import type { Runtime } from "#ports/runtime.ts";
import type { RequestStore } from "#ports/store.ts";
import type { Tracer } from "#ports/tracer.ts";
import type { Volumes } from "#ports/volumes.ts";
import type { ProcessWitness } from "#ports/witness.ts";
import type { Checks } from "./checks.ts";
import type { CoordinatorSettings } from "./settings.ts";
import type { Surroundings } from "./surroundings.ts";

export interface CoordinatorDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly election: Election;
  readonly witness: ProcessWitness;
  readonly requestStore: RequestStore;
  readonly runtime: Runtime;
  readonly volumes: Volumes;
  readonly archives: ArchiveStore;
  readonly jobs: StorageJobs;
  readonly setup: SetupJobs;
  readonly hints: Hints;
  readonly activity: ActivityBuffer;
  readonly decisions: Decisions;
  readonly settings: CoordinatorSettings;
  /** What a repository's own set-up file may ask for; left out, none is read. */
  readonly setupPolicy?: SetupPolicy | undefined;
  /** What people keep for their workspaces. */
  readonly keyring?: Keyring | undefined;
  /** People who ask whether some of it works; left out, nobody can. */
  readonly checks?: Checks | undefined;
  /** Where an operator has said something of the network that workspaces are in. */
  readonly surroundings?: Surroundings | undefined;
  /** Where somebody collects what each request set off. */
  readonly tracer?: Tracer | undefined;
  /** Called with every term, for what else must run exactly once: the event listener. */
  readonly onTerm?: (epoch: number, ended: AbortSignal) => void;
}

export interface SetupPolicy {
  /** Images that it may choose; null where workspaces are not made from images. */
  readonly images: readonly string[] | null;
  /** Its image is taken where nobody chose another than this one. */
  readonly defaultImage: string;
  readonly largest: LargestSize;
  readonly hash: (text: string) => string;
}

/** "Look at this workspace now", or at everything (null) after a gap. Losing hints costs only time. */
export interface Hints {
  readonly subscribe: (onHint: (workspaceId: string | null) => void) => { end: () => void };
}

/** The pure rules, handed in as one record: the simulation replaces one to see whether it would notice. */
export const DECISIONS = {
  observe,
  plan,
  claim,
  takeOver,
  commit,
  fail,
  answerRequest,
  recordRestoreTest,
  useWord,
  recordWord,
  recordGrowth,
  diskSeen,
  expire,
  giveUpOnContainer,
  isCrashLooping,
  isLeftover,
  protection,
  mayReap,
  requestDemotion,
  takenAway,
  requestRest,
  judgeFormerLeader,
} as const;
export type Decisions = { readonly [K in keyof typeof DECISIONS]: (typeof DECISIONS)[K] };
