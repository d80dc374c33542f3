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
import type { ActivityBuffer } from "#ports/activity.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import type { Clock, Ids } from "#ports/clock.ts";
import type { Election } from "#ports/election.ts";
import type { StorageJobs } from "#ports/jobs.ts";
import type { Logger } from "#ports/logger.ts";
import type { Runtime } from "#ports/runtime.ts";
import type { RequestStore } from "#ports/store.ts";
import type { Tracer } from "#ports/tracer.ts";
import type { Volumes } from "#ports/volumes.ts";
import type { ProcessWitness } from "#ports/witness.ts";
import type { CoordinatorSettings } from "./settings.ts";

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
  readonly hints: Hints;
  readonly activity: ActivityBuffer;
  readonly decisions: Decisions;
  readonly settings: CoordinatorSettings;
  /** Where somebody collects what each request set off. */
  readonly tracer?: Tracer | undefined;
  /** Called with every term, for what else must run exactly once: the event listener. */
  readonly onTerm?: (epoch: number, ended: AbortSignal) => void;
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
