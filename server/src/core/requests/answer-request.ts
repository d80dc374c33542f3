import { known } from "#core/rows/condition.ts";
import type { Reason } from "#core/rows/meaning.ts";
import type { EventLine, Facts, Mutation } from "#core/rows/mutation.ts";
import type { ArchiveRecord, RequestAction, VerdictColumns, VolumeRecord, Workspace } from "#core/rows/workspace.ts";
import { requestPending } from "#core/rules/plan.ts";
import { CLEARED, withPhase } from "#core/rules/transitions.ts";

/**
 * What a person asked for beyond a level, done in one transaction when no operation runs. `restart` is done by the
 * STOPPING it causes, `verify_archive` by a job, `node_off` and `grow_home` by the engine; they only reach here when there is nothing
 * left to do for them.
 */
export function answerRequest(facts: Facts): Mutation | null {
  const { row, now } = facts;
  if (!requestPending(row) || row.request === null || row.operation !== "NONE") return null;
  const { action, version } = row.request;
  if (action.kind === "restart" && row.phase === "RUNNING") return null;
  if (action.kind === "verify_archive" || action.kind === "node_off" || action.kind === "grow_home") return null;
  const effect = effectOf(facts, action);
  const healthy = known(row.conditions["policy.healthy"], true, "Recovered", now);
  const conditions = { ...row.conditions, "policy.healthy": healthy };
  const patch =
    effect === null
      ? { requestDone: version }
      : withPhase(row, { ...CLEARED, conditions, ...effect.patch, requestDone: version }, now);
  const why: Reason = effect?.why ?? { code: "not_applicable", fields: { request: action.kind, phase: row.phase } };
  const event: EventLine = {
    actor: "coordinator",
    kind: "request_answered",
    from: row.phase,
    to: patch.phase ?? row.phase,
    code: why.code,
    details: { ...why.fields },
  };
  return { patch, volumes: effect?.volumes ?? [], archives: effect?.archives ?? [], events: [event] };
}

interface Effect {
  readonly patch: Partial<VerdictColumns>;
  readonly volumes?: readonly VolumeRecord[];
  readonly archives?: readonly ArchiveRecord[];
  readonly why: Reason;
}

function effectOf(facts: Facts, action: RequestAction): Effect | null {
  const { row } = facts;
  switch (action.kind) {
    case "recover":
      return recover(row);
    case "restore_archive":
      return row.errorReason === "DataLost" ? pointAt(facts, action.opId, "archive_replaces_lost_home") : null;
    case "use_archive":
      return row.homeVolume === null ? pointAt(facts, action.opId, "archive_chosen") : null;
    case "start_empty":
      return row.errorReason === "DataLost" ? startEmpty(facts) : null;
    case "restart":
      return { patch: {}, why: { code: "nothing_to_restart" } };
    case "verify_archive":
    case "node_off":
    case "grow_home":
      return null;
  }
}

/** Clears the stored error; the next observation recomputes the phase. What is still wrong is seen again at once. */
function recover(row: Workspace): Effect | null {
  if (row.errorInfo === null) return null;
  const exits = { ...row.homeCtx, exits: [] };
  // Without the endpoint the container is a leftover, and leftovers are removed by id.
  const endpoint = row.errorReason === "ContainerWithoutVolume" ? { endpoint: null } : {};
  return {
    patch: { homeCtx: exits, ...endpoint },
    why: { code: "error_cleared", fields: { reason: row.errorReason } },
  };
}

function pointAt(facts: Facts, opId: string, code: string): Effect | null {
  const { row, archives } = facts;
  const chosen = archives.find((record) => record.opId === opId && record.state !== "orphan");
  if (chosen === undefined) return null;
  const others = archives
    .filter((record) => record.state === "current" && record.key !== chosen.key)
    .map((record): ArchiveRecord => ({ ...record, state: "version" }));
  // What was got into the home before says nothing about this one: the repository is looked for in it again.
  const homeCtx = { ...row.homeCtx, setup: null };
  return {
    patch: { archiveKey: chosen.key, homeVolume: null, endpoint: null, homeCtx, ...unlookedAt(row) },
    volumes: lost(facts),
    archives: [...others, { ...chosen, state: "current", keepUntil: null }],
    why: { code },
  };
}

function startEmpty(facts: Facts): Effect {
  const { row, archives } = facts;
  const kept = archives
    .filter((record) => record.state === "current")
    .map((record): ArchiveRecord => ({ ...record, state: "version" }));
  return {
    patch: { archiveKey: null, homeVolume: null, endpoint: null, ...unlookedAt(row) },
    volumes: lost(facts),
    archives: kept,
    why: { code: "empty_home_replaces_lost_home" },
  };
}

/** The old answers, and the health that followed from them, speak of the old pointers: the next observation tells. */
function unlookedAt(row: Workspace): Partial<VerdictColumns> {
  const outdated = new Set(["storage.volume_ready", "storage.archive_ready", "policy.healthy"]);
  return { conditions: Object.fromEntries(Object.entries(row.conditions).filter(([key]) => !outdated.has(key))) };
}

/** A volume that was positively absent is gone for the books; should it come back, it is reported and never removed. */
function lost({ row, volumes }: Facts): VolumeRecord[] {
  return volumes.filter((volume) => volume.name === row.homeVolume).map((volume) => ({ ...volume, state: "gone" }));
}
