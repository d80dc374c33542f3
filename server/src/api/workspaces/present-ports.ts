import type { PortList, WorkspacePort } from "@codehub/contract";
import { isOpen, type PortShare, type SharingBound } from "#core/requests/sharing.ts";
import { isoTime } from "#core/rows/iso-time.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { PlannedPort } from "#core/setup/plan.ts";
import type { ListeningPort } from "#ports/runtime.ts";
import { isoOrNull } from "./present-workspace.ts";

export interface PortFacts {
  /** Null where it is not seen; nothing where nothing runs. */
  readonly listening: readonly ListeningPort[] | null;
  readonly running: boolean;
  readonly labelled: readonly Pick<PlannedPort, "port" | "label">[];
  /** The IDE's and other ones of ours, which are nobody's to open. */
  readonly ownPorts: readonly number[];
  readonly shares: readonly PortShare[];
  readonly sharing: SharingBound;
  readonly now: Ms;
  readonly urlOf: (port: number) => string | null;
}

/** What listens now, what the repository has a label for, and what is shared. */
export function presentPorts(facts: PortFacts): PortList {
  const { listening, running, labelled, ownPorts, sharing, urlOf } = facts;
  const now = new Map((listening ?? []).map((one) => [one.port, one]));
  const labels = new Map(labelled.map(({ port, label }) => [port, label]));
  const shares = new Map(facts.shares.filter((one) => isOpen(one, sharing, facts.now)).map((one) => [one.port, one]));
  const numbers = [...new Set([...now.keys(), ...labels.keys(), ...shares.keys()])].filter(
    (port) => !ownPorts.includes(port),
  );
  const item = (port: number): WorkspacePort => ({
    port,
    listening: now.has(port),
    program: now.get(port)?.program ?? null,
    label: labels.get(port) ?? null,
    share: presentShare(shares.get(port)),
    url: urlOf(port),
  });
  const state = !running ? "not_running" : listening === null ? "unknown" : "listed";
  return { state, sharing, items: numbers.sort((a, b) => a - b).map(item) };
}

const presentShare = (share: PortShare | undefined): WorkspacePort["share"] =>
  share === undefined
    ? null
    : { audience: share.audience, created_at: isoTime(share.createdAt), expires_at: isoOrNull(share.expiresAt) };
