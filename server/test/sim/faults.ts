import type { Prng } from "./prng.ts";

export const PORTS = ["database", "runtime", "volumes", "archives", "jobs", "activity"] as const;
export type PortName = (typeof PORTS)[number];

/** What can become of one call. Every kind must be seen in a run of many seeds. */
export const CALL_FAULTS = [
  /** Refused; nothing was done. */
  "error_before",
  /** Done; the answer is an error. For a transaction: the commit's result is unknown. */
  "error_after",
  /** No answer until the caller's own timeout; nothing was done. */
  "hang_before",
  /** No answer until the caller's own timeout; it was done. */
  "hang_after",
  /** The caller gave up long ago when it is done. */
  "late_effect",
  /** Done, and done once more later: a request that some middleman repeated. */
  "duplicate",
  /** Answered late: what was seen has changed meanwhile. */
  "stale",
] as const;
export type CallFault = (typeof CALL_FAULTS)[number];

export const JOB_FAULTS = [
  "job_fails",
  "job_stalls",
  "upload_truncated",
  "job_outlives_launcher",
  "job_dies_with_launcher",
  "job_killed_last_write_lands",
  "job_answer_lost",
] as const;

export const NEMESES = [
  "crash",
  "graceful_stop",
  "freeze",
  "session_drop",
  "partition",
  "clock_jump",
  "outage",
  "disk_full",
  "container_exits",
  "volume_deleted",
  "object_corrupted",
  "object_truncated",
  "format_from_the_future",
  "image_gone",
  "hand_started_container",
  "database_restored",
  "swizzle",
  "proxy_dies",
  "proxy_stops",
  "proxy_cut_off",
  "another_engine",
  "another_store",
] as const;
export type Nemesis = (typeof NEMESES)[number];

/** What befalls a cluster and no single machine. */
export const CLUSTER_FAULTS = [
  /** A node answers nobody; its pods go on writing. */
  "node_cut",
  /** A node is without power; the cluster's books say that its pods run. */
  "node_off",
  /** Everything on a node is asked to go. */
  "node_drained",
  /** The removal of a pod was accepted and takes minutes or hours. */
  "stuck_terminating",
  /** The same pod is asked for once more, a moment or an hour later. */
  "create_repeated",
  /** Somebody types `kubectl delete pvc`. */
  "claim_deleted",
  /** The disk under a claim is gone; its name stays. */
  "claim_lost",
  /** The removal of a claim was accepted and something else holds it. */
  "claim_lingers",
  /** The disk cannot be attached for a while. */
  "late_attach",
  /** The cluster leaves no room for another pod or claim. */
  "quota_full",
  /** The stream of hints is open and silent. */
  "lost_watch",
] as const;
export type ClusterFault = (typeof CLUSTER_FAULTS)[number];

export type FaultKind = CallFault | (typeof JOB_FAULTS)[number] | Nemesis | ClusterFault;
export const FAULT_KINDS: readonly FaultKind[] = [...CALL_FAULTS, ...JOB_FAULTS, ...NEMESES, ...CLUSTER_FAULTS];

/** How hostile one seed's world is. */
export interface FaultProfile {
  /** Chance that a call goes wrong, per port. */
  readonly call: Readonly<Record<PortName, number>>;
  readonly kinds: Readonly<Record<CallFault, number>>;
  /** Chance per step that something happens to a process or a backend. */
  readonly nemesis: number;
  readonly nemeses: Readonly<Partial<Record<Nemesis, number>>>;
  readonly job: {
    readonly fails: number;
    readonly stalls: number;
    readonly truncates: number;
    readonly answerLost: number;
  };
}

export const CALM: FaultProfile = {
  call: { database: 0, runtime: 0, volumes: 0, archives: 0, jobs: 0, activity: 0 },
  kinds: { error_before: 1, error_after: 1, hang_before: 1, hang_after: 1, late_effect: 1, duplicate: 1, stale: 1 },
  nemesis: 0,
  nemeses: { crash: 1 },
  job: { fails: 0, stalls: 0, truncates: 0, answerLost: 0 },
};

/** Seeds differ in how much goes wrong and in what: a world where everything fails at once reaches no deep state. */
export function drawProfile(random: Prng): FaultProfile {
  const rate = random.pick([0.002, 0.01, 0.03, 0.08]);
  const portRate = (): number => (random.chance(0.6) ? rate * random.pick([0.3, 1, 2]) : 0);
  const weight = (): number => (random.chance(0.5) ? random.between(1, 4) : 0);
  const nemeses: Partial<Record<Nemesis, number>> = { crash: 2, freeze: 1 };
  for (const nemesis of NEMESES) {
    const rare = nemesis === "database_restored" || nemesis === "format_from_the_future";
    const often = random.chance(rare ? 0.08 : 0.45);
    if (often) nemeses[nemesis] = rare ? 1 : random.between(1, 4);
  }
  return {
    call: {
      database: portRate(),
      runtime: portRate(),
      volumes: portRate(),
      archives: portRate(),
      jobs: portRate(),
      activity: portRate(),
    },
    kinds: {
      error_before: 1 + weight(),
      error_after: 1 + weight(),
      hang_before: weight(),
      hang_after: weight(),
      late_effect: weight(),
      duplicate: weight(),
      stale: 1 + weight(),
    },
    nemesis: random.pick([0, 0.0005, 0.002, 0.006]),
    nemeses,
    job: {
      fails: random.pick([0, 0.02, 0.1]),
      stalls: random.pick([0, 0.02, 0.05]),
      truncates: random.pick([0, 0.05, 0.2]),
      answerLost: random.pick([0, 0.03, 0.1]),
    },
  };
}
