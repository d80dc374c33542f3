/**
 * Who led before, and whether that leader can still act.
 *
 * A leader acts by its lease, which outlives its lock by seconds; so a new one waits for a whole lease before it acts. It
 * may leave the wait out only where nobody is left who could have one. Whatever is not certain is unknown.
 */

/** A process such that no other one, of whatever machine, can be mistaken for it. */
export interface ProcessIdentity {
  /** Of the installation; null where it has none. */
  readonly machineId: string | null;
  /** Of this run of the machine's kernel. */
  readonly bootId: string;
  /** In which process numbers count. */
  readonly pidNamespace: string;
  readonly networkNamespace: string;
  /** In which times since the boot count. */
  readonly timeNamespace: string;
  readonly pid: number;
  /** When it started, in ticks since the boot: numbers are used again, but not at the same moment. */
  readonly startTicks: string;
}

/** What is on record of the newest term before this one. */
export interface FormerTerm {
  /** 0: nobody has ever led. */
  readonly epoch: number;
  /** Null for a leader that did not say who it is, as those of 0.1.0 did not. */
  readonly holder: ProcessIdentity | null;
  /** It had the right to act: by then nobody before it could act any more. */
  readonly begun: boolean;
  /** It gave its right back, with nothing under way, before it let go of the lock. */
  readonly ended: boolean;
}

/** Who has that process number here and now. `hidden`: somebody has it, and we may not see who. */
export type Sighting =
  | { readonly kind: "nobody" }
  | { readonly kind: "hidden" }
  | { readonly kind: "somebody"; readonly startTicks: string };

/** Whether the former leader, or one before it, can still act; and from what that follows. */
export type FormerLeader =
  | { readonly verdict: "gone"; readonly why: "nobody_led" | "ended_in_order" | "process_gone" | "pid_used_again" }
  | {
      readonly verdict: "unknown";
      readonly why: "had_not_begun" | "not_on_record" | "another_place" | "hidden" | "still_there";
    };

/** `self`: who asks; null where the system does not tell. */
export function judgeFormerLeader(former: FormerTerm, self: ProcessIdentity | null, seen: Sighting): FormerLeader {
  if (former.epoch === 0) return { verdict: "gone", why: "nobody_led" };
  // It ended while it was waiting itself: what it waited for may not be over.
  if (!former.begun) return { verdict: "unknown", why: "had_not_begun" };
  if (former.ended) return { verdict: "gone", why: "ended_in_order" };
  const { holder } = former;
  if (holder === null || self === null) return { verdict: "unknown", why: "not_on_record" };
  if (!isSamePlace(holder, self)) return { verdict: "unknown", why: "another_place" };
  if (seen.kind === "nobody") return { verdict: "gone", why: "process_gone" };
  if (seen.kind === "hidden") return { verdict: "unknown", why: "hidden" };
  if (seen.startTicks !== holder.startTicks) return { verdict: "gone", why: "pid_used_again" };
  return { verdict: "unknown", why: "still_there" };
}

/** Only here does our look at a process number and at a start say anything about that process. */
function isSamePlace(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return (
    a.bootId === b.bootId &&
    a.machineId === b.machineId &&
    a.pidNamespace === b.pidNamespace &&
    a.networkNamespace === b.networkNamespace &&
    a.timeNamespace === b.timeNamespace
  );
}
