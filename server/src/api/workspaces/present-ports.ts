import type { PortList, WorkspacePort } from "@codehub/contract";
import type { PlannedPort } from "#core/setup/plan.ts";
import type { ListeningPort } from "#ports/runtime.ts";

export interface PortFacts {
  /** Null where it is not seen; nothing where nothing runs. */
  readonly listening: readonly ListeningPort[] | null;
  readonly running: boolean;
  readonly labelled: readonly Pick<PlannedPort, "port" | "label">[];
  /** The IDE's and other ones of ours, which are nobody's to open. */
  readonly ownPorts: readonly number[];
  readonly urlOf: (port: number) => string | null;
}

/** What listens now, and what the repository has a label for. */
export function presentPorts({ listening, running, labelled, ownPorts, urlOf }: PortFacts): PortList {
  const now = new Map((listening ?? []).map((one) => [one.port, one]));
  const labels = new Map(labelled.map(({ port, label }) => [port, label]));
  const numbers = [...new Set([...now.keys(), ...labels.keys()])].filter((port) => !ownPorts.includes(port));
  const item = (port: number): WorkspacePort => ({
    port,
    listening: now.has(port),
    program: now.get(port)?.program ?? null,
    label: labels.get(port) ?? null,
    url: urlOf(port),
  });
  const state = !running ? "not_running" : listening === null ? "unknown" : "listed";
  return { state, items: numbers.sort((a, b) => a - b).map(item) };
}
