import { type Fields, sameFields } from "./meaning.ts";
import type { Ms } from "./workspace.ts";

export const CONDITION_KEYS = [
  "storage.volume_ready",
  "storage.archive_ready",
  "infra.container_ready",
  "infra.container_present",
  "policy.healthy",
] as const;
export type ConditionKey = (typeof CONDITION_KEYS)[number];

/**
 * What was last seen. `status` is never guessed: when a probe fails, it keeps its last value and
 * `unknownSince` says since when nobody knows; `false` always rests on a positive "not there".
 */
export interface Condition {
  readonly status: boolean;
  readonly reason: string;
  /** What the reason speaks of. Absent in rows of versions that wrote a whole sentence as the message. */
  readonly fields?: Fields;
  /** What a program or another system said, as it said it; empty where nothing did. */
  readonly message: string;
  readonly lastTransitionTime: Ms;
  readonly unknownSince?: Ms;
  /** When this was last positively seen; only conditions that are planned from with an age keep it. */
  readonly checkedAt?: Ms;
  /** Since when something that should be there was positively absent; one such look is not yet believed. */
  readonly missingSince?: Ms;
}

/** Of `infra.container_present`: one is on a machine that the engine hears nothing from; its fields say which and where. */
export const NODE_SILENT = "NodeSilent";

/** Open for new keys: a condition this version does not know is carried along untouched. */
export type Conditions = Readonly<Record<string, Condition>>;

export type Tri = "true" | "false" | "unknown";

export function tri(conditions: Conditions, key: ConditionKey): Tri {
  const condition = conditions[key];
  if (condition === undefined || condition.unknownSince !== undefined) return "unknown";
  return condition.status ? "true" : "false";
}

/** The last positive answer, also while it is unknown now. Phases show this; plans never use it. */
export function lastStatus(conditions: Conditions, key: ConditionKey): boolean {
  return conditions[key]?.status ?? false;
}

/** A positive answer. `lastTransitionTime` moves only when the status flips. */
export function known(
  previous: Condition | undefined,
  status: boolean,
  reason: string,
  now: Ms,
  fields: Fields = {},
  message = "",
): Condition {
  const flipped = previous === undefined || previous.status !== status;
  return { status, reason, fields, message, lastTransitionTime: flipped ? now : previous.lastTransitionTime };
}

/** No answer: the status stays as it was. A condition never seen before starts as false and unknown. */
export function unknown(
  previous: Condition | undefined,
  reason: string,
  now: Ms,
  fields: Fields = {},
  message = "",
): Condition {
  return {
    status: previous?.status ?? false,
    reason,
    fields,
    message,
    lastTransitionTime: previous?.lastTransitionTime ?? now,
    unknownSince: previous?.unknownSince ?? now,
    ...(previous?.checkedAt === undefined ? {} : { checkedAt: previous.checkedAt }),
    ...(previous?.missingSince === undefined ? {} : { missingSince: previous.missingSince }),
  };
}

export function sameCondition(a: Condition | undefined, b: Condition | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    sameFields(a.fields, b.fields) &&
    a.lastTransitionTime === b.lastTransitionTime &&
    a.unknownSince === b.unknownSince &&
    a.missingSince === b.missingSince
  );
}
