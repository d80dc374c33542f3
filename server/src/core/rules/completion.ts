import { type Condition, known } from "#core/rows/condition.ts";
import type { Fields } from "#core/rows/meaning.ts";
import type { EventLine, Facts, Mutation } from "#core/rows/mutation.ts";
import { archiveKey } from "#core/rows/names.ts";
import type {
  ArchiveFacts,
  ArchiveRecord,
  Endpoint,
  HomeContext,
  Ms,
  OperationName,
  VerdictColumns,
  VolumeRecord,
  Workspace,
} from "#core/rows/workspace.ts";
import { OPERATIONS, type OperationTable } from "./operations.ts";
import { abandoned, CLEARED, owns, withPhase } from "./transitions.ts";

/** What an attempt made and verified; the completing observation, not the actuator's word. */
export type Made =
  /** A home on a new volume, empty or from the archive that is named, whosever that is. */
  | { readonly kind: "home"; readonly volume: string; readonly from: string | null }
  | { readonly kind: "container"; readonly endpoint: Endpoint; readonly image: string }
  | { readonly kind: "no_container" }
  /** The home as an archive, and the volume it was on before, if it was on one. */
  | { readonly kind: "archive"; readonly volume: string | null; readonly archive: ArchiveFacts }
  /** The archive is given up, for as long as undo is possible. */
  | { readonly kind: "trash" }
  /** Everything is given up. */
  | { readonly kind: "end" }
  /** The workspace stays where it is, and from now on this is known about its home. */
  | { readonly kind: "note"; readonly homeCtx: Partial<HomeContext> };

export interface CommitInput {
  readonly operation: OperationName;
  readonly opId: string;
  readonly epoch: number;
  readonly made: Made;
  readonly keepVersions: number;
  readonly trashRetentionMs: number;
}

interface Effect {
  readonly patch: Partial<VerdictColumns>;
  readonly conditions: Readonly<Record<string, readonly [status: boolean, reason: string, fields?: Fields]>>;
  readonly volumes?: readonly VolumeRecord[];
  readonly archives?: readonly ArchiveRecord[];
}

/** One fenced update moves the pointers, the conditions and the phase, and frees the row for the next operation. */
export function commit(facts: Facts, input: CommitInput, table: OperationTable = OPERATIONS): Mutation | null {
  const { row, now } = facts;
  const { operation, made } = input;
  if (!owns(row, operation, input.opId, input.epoch)) return null;
  const { makes } = table[operation];
  if (made.kind !== makes) throw new Error(`${operation} makes "${makes}" and not "${made.kind}".`);
  const effect = effectOf(facts, input);
  if (effect === null) return superseded(row, operation, now);
  const conditions: Record<string, Condition> = { ...row.conditions };
  for (const [key, [status, reason, fields]] of Object.entries(effect.conditions)) {
    conditions[key] = { ...known(conditions[key], status, reason, now, fields), checkedAt: now };
  }
  conditions["policy.healthy"] = known(conditions["policy.healthy"], true, "Healthy", now);
  const restarted = made.kind === "no_container" && row.request?.action.kind === "restart";
  const patch = withPhase(
    row,
    {
      ...CLEARED,
      ...effect.patch,
      conditions,
      observedAt: now,
      ...(restarted && row.request ? { requestDone: row.request.version } : {}),
    },
    now,
  );
  return {
    patch,
    volumes: [...abandonedOthers(facts, effect), ...(effect.volumes ?? [])],
    archives: effect.archives ?? [],
    ...letGo(facts, effect, made.kind === "end"),
    events: [completed(facts, operation, patch.phase ?? row.phase, input)],
  };
}

/**
 * What nobody is promised any more from here on is marked in the same transaction: its keys are known, so it need not
 * wait to be found by a listing. With a deletion that is everything on record, also what was let go of earlier and then
 * protected for a while by an error, and the last upload, which may never have been committed.
 */
function letGo({ row, archives }: Facts, effect: Effect, deleting: boolean): Pick<Mutation, "marks"> {
  const before = new Map(archives.map((record) => [record.key, record.state]));
  const orphaned = (effect.archives ?? []).filter(
    ({ key, state }) => state === "orphan" && (deleting || before.get(key) !== state),
  );
  const keys = new Set(orphaned.map((record) => record.key));
  if (deleting && row.archiveOpId !== null) keys.add(archiveKey(row.id, row.archiveOpId));
  return keys.size === 0 ? {} : { marks: { keys: [...keys], urgent: row.purge } };
}

function completed({ row, now }: Facts, operation: OperationName, to: string, input: CommitInput): EventLine {
  const duration_ms = now - (row.opStartedAt ?? now);
  const details: Record<string, unknown> = { op_id: input.opId, operation, duration_ms };
  if (input.made.kind === "archive") Object.assign(details, input.made.archive);
  return {
    actor: "coordinator",
    kind: "operation_completed",
    from: row.phase,
    to,
    code: "completed",
    details,
  };
}

/** The request the operation served is not there any more: it ends with nothing changed. */
function superseded(row: Workspace, operation: OperationName, now: Ms): Mutation {
  const event: EventLine = {
    actor: "coordinator",
    kind: "operation_superseded",
    from: row.phase,
    to: row.phase,
    code: "request_withdrawn",
    details: { operation },
  };
  return { patch: withPhase(row, CLEARED, now), events: [event] };
}

function effectOf(facts: Facts, input: CommitInput): Effect | null {
  const { row, now } = facts;
  const { made } = input;
  switch (made.kind) {
    case "home":
      return newHome(facts, made.volume, made.from);
    case "container":
      return {
        patch: { endpoint: made.endpoint, homeCtx: { ...row.homeCtx, startedImage: made.image, ended: null } },
        conditions: {
          "infra.container_ready": [true, "ContainerRunning"],
          "infra.container_present": [true, "ContainerFound", { count: 1 }],
        },
      };
    case "no_container":
      return { patch: { endpoint: null }, conditions: NO_CONTAINER };
    case "archive":
      return newArchive(facts, input, made.archive, made.volume);
    case "trash":
      if (row.desiredState !== "PENDING" || row.deletedAt !== null) return null;
      return {
        patch: { archiveKey: null },
        conditions: { "storage.archive_ready": [false, "NoArchive"] },
        archives: toTrash(facts, now + input.trashRetentionMs),
      };
    case "end":
      if (row.deletedAt === null || !(row.purge || row.expiredAt !== null)) return null;
      return {
        patch: { homeVolume: null, archiveKey: null, endpoint: null },
        conditions: { ...NO_CONTAINER, ...NO_VOLUME, "storage.archive_ready": [false, "NoArchive"] },
        volumes: row.homeVolume === null ? [] : retired(facts, row.homeVolume),
        archives: facts.archives.map((archive) => ({ ...archive, state: "orphan", keepUntil: null })),
      };
    case "note":
      return { patch: { homeCtx: { ...row.homeCtx, ...made.homeCtx } }, conditions: {} };
  }
}

const NO_CONTAINER: Effect["conditions"] = {
  "infra.container_ready": [false, "NoContainer"],
  "infra.container_present": [false, "NoContainer"],
};
const NO_VOLUME: Effect["conditions"] = {
  "storage.volume_ready": [false, "NoVolume"],
};
const ARCHIVED: Effect["conditions"] = {
  "storage.archive_ready": [true, "ArchiveUploaded"],
};

/** An empty home has nothing of what was prepared in the one before it. */
const homeOf = ({ homeCtx }: Workspace, from: string | null): HomeContext =>
  from === null ? { ...homeCtx, setup: null } : homeCtx;

function newHome({ row, volumes }: Facts, volume: string, from: string | null): Effect {
  const record = volumes.find((candidate) => candidate.name === volume);
  return {
    patch: { homeVolume: volume, homeCtx: { ...homeOf(row, from), restoreMarker: from, exits: [], ended: null } },
    conditions: { "storage.volume_ready": [true, "VolumeFound", { volume }] },
    volumes: record === undefined ? [] : [{ ...record, state: "current", retiredAt: null }],
  };
}

function newArchive(facts: Facts, input: CommitInput, archive: ArchiveFacts, volume: string | null): Effect {
  const key = archiveKey(facts.row.id, input.opId);
  const archives = swing(facts, input, archive);
  if (volume === null)
    return { patch: { archiveKey: key, homeCtx: homeOf(facts.row, null) }, conditions: ARCHIVED, archives };
  return {
    patch: { archiveKey: key, homeVolume: null, endpoint: null },
    conditions: { ...NO_CONTAINER, ...NO_VOLUME, ...ARCHIVED },
    volumes: retired(facts, volume),
    archives,
  };
}

function retired({ volumes, now }: Facts, name: string): VolumeRecord[] {
  return volumes
    .filter((volume) => volume.name === name)
    .map((volume) => ({ ...volume, state: "retired", retiredAt: now }));
}

function abandonedOthers(facts: Facts, effect: Effect): VolumeRecord[] {
  const kept = new Set(effect.volumes?.map((volume) => volume.name));
  return abandoned(facts.volumes, facts.now).filter((volume) => !kept.has(volume.name));
}

/** The new archive becomes current; the one before stays as a version, as many as are kept, the rest are orphans. */
function swing({ row, archives, now }: Facts, input: CommitInput, archive: ArchiveFacts): ArchiveRecord[] {
  const key = archiveKey(row.id, input.opId);
  const older = archives
    .filter((record) => record.key !== key && (record.state === "current" || record.state === "version"))
    .sort((a, b) => b.createdAt - a.createdAt)
    .map((record, index): ArchiveRecord => ({ ...record, state: index < input.keepVersions ? "version" : "orphan" }));
  const current: ArchiveRecord = {
    key,
    workspaceId: row.id,
    opId: input.opId,
    state: "current",
    facts: archive,
    createdAt: now,
    verifiedAt: now,
    keepUntil: null,
  };
  return [...older, current];
}

function toTrash({ row, archives }: Facts, keepUntil: Ms): ArchiveRecord[] {
  return archives
    .filter((record) => record.key === row.archiveKey)
    .map((record) => ({ ...record, state: "trash", keepUntil }));
}
