import { moment } from "#core/rows/meaning.ts";
import type { Ms, Workspace } from "#core/rows/workspace.ts";
import { effectiveTtls, nextDemotion, type TtlDefaults } from "./idle.ts";
import { type Actor, accept, type RequestInput, refuse, type Verdict } from "./requests.ts";

/** What one click asks for. */
export const AWAKE_STEP_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Less than this is not worth a line in the history: a page that asks in a loop writes sixty of them an hour at most. */
const LEAST_GAIN_MS = 60_000;
const LONGEST_WARNING_MS = 120_000;

type Asked = Pick<Workspace, "awakeAskedFrom" | "awakeAskedSeconds">;

const askedMs = ({ awakeAskedFrom, awakeAskedSeconds }: Asked, now: Ms): Ms =>
  awakeAskedFrom === null || now - awakeAskedFrom >= DAY_MS ? 0 : awakeAskedSeconds * 1_000;

/** How much longer a workspace's own page may keep it awake today: a day begins with the first time it asks. */
export const awakeLeftMs = (row: Asked, maxMs: Ms, now: Ms): Ms => Math.max(0, maxMs - askedMs(row, now));

/** What asking now would add, counted from when the workspace would begin to fall asleep anyway. */
export function awakeGainMs(row: Asked & Pick<Workspace, "keepAwakeUntil">, maxMs: Ms, now: Ms): Ms {
  const from = Math.max(now, row.keepAwakeUntil ?? 0);
  const gain = Math.min(now + AWAKE_STEP_MS - from, awakeLeftMs(row, maxMs, now));
  return gain < LEAST_GAIN_MS ? 0 : gain;
}

/**
 * An hour more, asked for on the workspace's own origin, where everything that runs in the workspace can ask as well. So it
 * is never more than the operator allows for a day, it starts nothing, and whoever asks again gets what is left of the hour.
 */
export function requestKeepAwake({ row, now }: RequestInput, maxMs: Ms, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (row.desiredState !== "RUNNING") return refuse("WRONG_PHASE");
  const gain = awakeGainMs(row, maxMs, now);
  // What is told of the workspace afterwards says how much is left.
  if (gain === 0) return { write: null, result: { accepted: true } };
  const keepAwakeUntil = Math.max(now, row.keepAwakeUntil ?? 0) + gain;
  const asked = askedMs(row, now);
  const write = {
    keepAwakeUntil,
    awakeAskedFrom: asked === 0 ? now : row.awakeAskedFrom,
    awakeAskedSeconds: Math.ceil((asked + gain) / 1_000),
  };
  return accept(row, write, actor, "awake", { code: "kept_awake", fields: { until: moment(keepAwakeUntil) } });
}

/** When a running workspace falls asleep by itself, and from how long before people in it are told. Null where it does not. */
export function sleepAhead(row: Workspace, defaults: TtlDefaults): { readonly at: Ms; readonly warnMs: Ms } | null {
  const demotion = nextDemotion(row, defaults);
  if (demotion?.to !== "STANDBY") return null;
  const ttlMs = effectiveTtls(row, defaults).standbyTtlSeconds * 1_000;
  return { at: demotion.at, warnMs: Math.min(LONGEST_WARNING_MS, ttlMs / 4) };
}
