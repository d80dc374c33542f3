import type { Conditions } from "#core/rows/condition.ts";
import type { Facts } from "#core/rows/mutation.ts";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import { type Observation, seen, unseen } from "#core/rows/observation.ts";
import type { HomeSetup } from "#core/rows/setup.ts";
import { type ArchiveFacts, type ArchiveRecord, EMPTY_HOME_CONTEXT, type Workspace } from "#core/rows/workspace.ts";
import type { Made } from "#core/rules/completion.ts";
import { judge } from "#core/rules/judge.ts";
import { SOURCE } from "../fixtures/workspace.ts";
import { type Driver, has, type Id, type Row, type State } from "./state.ts";

/** The model's states in the words of the program's pure core, so that both can be asked the same questions. */

export const NOW = 1_000_000_000_000;
const LONG = 1_000_000;
const WORKSPACE = "00000000-0000-4000-8000-000000000000";
/** The epoch that reigns, and one that does not. */
export const EPOCH = 7;
const DEPOSED = 6;

export const attemptOf = (id: Id): string => `${id.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
const volumeOf = (id: Id): string => volumeName(WORKSPACE, attemptOf(id));
export const keyOfArchive = (id: Id): string => archiveKey(WORKSPACE, attemptOf(id));
const containerOf = (id: Id): string => `container-${id}`;
const orNull = (id: Id, name: (id: Id) => string): string | null => (id === 0 ? null : name(id));
const ADDRESS = { kind: "unix", path: "/run/ide" } as const;

const ARCHIVE_FACTS: ArchiveFacts = {
  sha256: "0",
  sizeBytes: 1,
  contentBytes: 1,
  entryCount: 1,
  manifestDigest: "0",
  skippedSockets: 0,
  formatVersion: 1,
};

/** The row alone; its conditions follow from looking at the world. */
function bareRow(row: Row, endpointAttempt: Id): Workspace {
  const error = {
    reason: "Timeout",
    message: "",
    operation: "NONE",
    isTerminal: true,
    attempts: 1,
    elapsedMs: null,
    previousPhase: "STANDBY",
    occurredAt: NOW - LONG,
  } as const;
  return {
    id: WORKSPACE,
    ownerId: WORKSPACE,
    createdAt: 0,
    updatedAt: 0,
    rowVersion: 1,
    name: "home",
    description: null,
    memo: null,
    imageRef: "image",
    desiredState: row.desired,
    desiredVersion: 1,
    deletedAt: row.deleted ? NOW - LONG : null,
    purge: row.purge,
    request: row.restart ? { version: 1, action: { kind: "restart" } } : null,
    standbyTtlSeconds: null,
    archiveTtlSeconds: null,
    keepAwakeUntil: null,
    awakeAskedFrom: null,
    awakeAskedSeconds: 0,
    address: null,
    lastAccessAt: 0,
    source: row.wanted === 0 ? null : SOURCE,
    setupWanted: row.wanted,
    setupSkipped: row.skipped ? row.wanted : 0,
    keysAllowed: true,
    conditions: {},
    phase: "PENDING",
    phaseChangedAt: 0,
    observedAt: null,
    operation: row.operation,
    opStartedAt: row.operation === "NONE" ? null : NOW,
    opId: orNull(row.attempt, attemptOf),
    opEpoch: row.owned ? EPOCH : DEPOSED,
    requestDone: 0,
    expiredAt: row.expired ? NOW - LONG : null,
    homeVolume: orNull(row.volume, volumeOf),
    archiveKey: orNull(row.archive, keyOfArchive),
    archiveOpId: orNull(row.archiveAttempt, attemptOf),
    endpoint:
      row.endpoint === 0
        ? null
        : { containerId: containerOf(row.endpoint), attempt: attemptOf(endpointAttempt), address: ADDRESS },
    homeCtx: { ...EMPTY_HOME_CONTEXT, setup: row.noted === 0 ? null : setupOf(row.noted, row.ready) },
    errorReason: row.error ? "Timeout" : null,
    errorCount: row.error ? 1 : 0,
    errorInfo: row.error ? error : null,
    reconcileFailureCount: 0,
    nextAttemptAt: null,
  };
}

const setupOf = (version: number, ready: boolean): HomeSetup => ({
  version,
  state: ready ? "ready" : "failed",
  ...{ folder: ready ? "project" : null, commit: null, branch: null, failure: null, notices: [], at: NOW, tookMs: 0 },
});

export type Blindness = "container" | "volume" | "archive" | null;

/** One look at the modelled world, in which one kind of probe may hang. */
function look(s: State, at: number, blind: Blindness): Observation {
  const { container, row } = s;
  const containers =
    container === null
      ? []
      : [
          {
            id: containerOf(container.instance),
            workspaceId: WORKSPACE,
            volume: volumeOf(container.volume),
            attempt: attemptOf(container.attempt),
            state: "running" as const,
            address: ADDRESS,
            exitCode: null,
          },
        ];
  const absent = { readable: false, reason: "ArchiveNotFound", fields: {} } as const;
  return {
    at,
    volume: blind === "volume" ? unseen("it hangs") : seen(has(s.volumes, row.volume)),
    containers: blind === "container" ? unseen("it hangs") : seen(containers),
    archive: blind === "archive" ? unseen("it hangs") : seen(has(s.objects, row.archive) ? { readable: true } : absent),
  };
}

/** The row as the program would have it after it looked twice; the second look may be partly blind. */
export function toWorkspace(s: State, blind: Blindness = null): Workspace {
  const attempt = s.container?.instance === s.row.endpoint ? s.container.attempt : 0;
  let row = bareRow(s.row, attempt);
  for (const [at, blindness] of [
    [NOW - LONG, null],
    [NOW, blind],
  ] as const) {
    const verdict: { conditions: Conditions; phase: Workspace["phase"] } = judge(row, look(s, at, blindness));
    row = { ...row, conditions: verdict.conditions, phase: verdict.phase };
  }
  return row;
}

export function toFacts(s: State): Facts {
  const named = (id: Id): ArchiveRecord => ({
    key: keyOfArchive(id),
    workspaceId: WORKSPACE,
    opId: attemptOf(id),
    state: "current",
    facts: ARCHIVE_FACTS,
    createdAt: 0,
    verifiedAt: 0,
    keepUntil: null,
  });
  const trash = s.trash.map(
    (x): ArchiveRecord => ({ ...named(x.id), state: "trash", keepUntil: x.over ? NOW - LONG : NOW + LONG }),
  );
  const current = s.row.archive === 0 ? [] : [named(s.row.archive)];
  return { row: toWorkspace(s), archives: [...current, ...trash], volumes: [], now: NOW };
}

/** What a driver at its commit would say that it has made. */
export function toMade(driver: Driver): Made | null {
  switch (driver.operation) {
    case "NONE":
      return null;
    case "PROVISIONING":
      return { kind: "home", volume: volumeOf(driver.volume), from: null };
    case "RESTORING":
      return { kind: "home", volume: volumeOf(driver.volume), from: keyOfArchive(driver.archive) };
    case "PREPARING":
      return { kind: "note", homeCtx: { setup: setupOf(driver.version, driver.outcome === "got") } };
    case "STARTING": {
      const endpoint = {
        containerId: containerOf(driver.instance),
        attempt: attemptOf(driver.attempt),
        address: ADDRESS,
      };
      return { kind: "container", endpoint, image: "image" };
    }
    case "ARCHIVING":
      return { kind: "archive", volume: volumeOf(driver.volume), archive: ARCHIVE_FACTS };
    case "CREATE_EMPTY_ARCHIVE":
      return { kind: "archive", volume: null, archive: ARCHIVE_FACTS };
    case "STOPPING":
      return { kind: "no_container" };
    case "DISCARDING":
      return { kind: "trash" };
    case "DELETING":
      return { kind: "end" };
  }
}

export const epochOf = (driver: Driver): number => (driver.current ? EPOCH : DEPOSED - 1);

/** The columns that the model has too, to compare a row after a step with the same row after the model's step. */
export function essentials(row: Workspace): Record<string, unknown> {
  return {
    desired: row.desiredState,
    deleted: row.deletedAt !== null,
    purge: row.purge,
    expired: row.expiredAt !== null,
    operation: row.operation,
    attempt: row.opId,
    volume: row.homeVolume,
    archive: row.archiveKey,
    endpoint: row.endpoint?.containerId ?? null,
    error: row.errorInfo?.isTerminal ?? false,
    wanted: row.setupWanted,
    skipped: row.setupSkipped > 0 && row.setupSkipped === row.setupWanted,
    noted: row.homeCtx.setup?.version ?? 0,
    ready: row.homeCtx.setup?.state === "ready",
    restart: row.request !== null && row.request.version > row.requestDone && row.request.action.kind === "restart",
  };
}

export const essentialsOfModel = (s: State): Record<string, unknown> => essentials(bareRow(s.row, 0));
