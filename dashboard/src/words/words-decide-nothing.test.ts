import type { Explain, HistoryEvent, Workspace } from "@codehub/contract";
import { type ComponentType, createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";
import { sampleWorkspace } from "./sample.ts";

const catalogueFile = "../../../contract/src/words/catalogue.ts";
const now = Date.parse("2026-11-15T12:00:00.000Z");
const at = "2026-11-15T11:50:00.000Z";

/** Other words of the same length, with the same fields: what is drawn by length stays comparable. */
const other = (text: string): string =>
  text.replaceAll(/\{[^}]*\}|[a-z]/gi, (part) => {
    if (part.startsWith("{")) return part;
    const base = part < "a" ? 65 : 97;
    return String.fromCharCode(((part.charCodeAt(0) - base + 13) % 26) + base);
  });
function otherWords(value: unknown): unknown {
  if (typeof value === "string") return other(value);
  if (Array.isArray(value)) return value.map(otherWords);
  return Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, otherWords(one)]));
}

const event = (over: Partial<HistoryEvent>, index: number): HistoryEvent => ({
  id: String(index),
  at: new Date(now - (index + 1) * 600_000).toISOString(),
  kind: "wish",
  workspace_id: null,
  actor: { kind: "coordinator", user_id: null, username: null },
  summary: "as it was written down",
  from_phase: null,
  to_phase: null,
  operation: null,
  details: {},
  ...over,
});
const events = [
  { kind: "operation_completed", from_phase: "STANDBY", to_phase: "RUNNING", details: { code: "completed" } },
  { kind: "attempt_failed", operation: "STARTING", details: { code: "ActionFailed", failure: "container_vanished" } },
  { kind: "delete", details: { code: "purged" } },
  { kind: "delete", summary: "purged" },
  { kind: "phase_changed", from_phase: "RUNNING", to_phase: "ERROR", details: { code: "DataLost" } },
].map((over, index) => event(over as Partial<HistoryEvent>, index));

const error: NonNullable<Workspace["error"]> = {
  reason: "DataLost",
  message: "",
  fields: { failure: "volume_lost" },
  detail: "",
  operation: null,
  is_terminal: true,
  attempts: 0,
  elapsed_seconds: null,
  previous_phase: "STANDBY",
  occurred_at: at,
  what_to_do: "",
};
const condition = (status: boolean, reason: string) => ({
  status,
  reason,
  message: "",
  fields: { count: 1 },
  detail: "",
  last_transition_time: at,
});
const conditions = {
  "policy.healthy": condition(false, "DataLost"),
  "storage.volume_ready": { ...condition(true, "VolumeFound"), unknown_since: at },
  "infra.container_present": condition(true, "ContainerFound"),
  "gpu.ready": condition(true, "Warm"),
};
const next = { operation: null, at, code: "idle_since", fields: { since: at }, summary: "" };
const workspaces = [
  sampleWorkspace({ phase: "RUNNING", desired_state: "RUNNING", next: { ...next, kind: "standby" } }),
  sampleWorkspace({ phase: "STANDBY", desired_state: "RUNNING", operation: "STARTING", op_started_at: at }),
  sampleWorkspace({ phase: "ERROR", desired_state: "RUNNING", conditions, error }),
  sampleWorkspace({ next: { ...next, kind: "blocked", code: "waiting_to_see" } }),
].map((workspace, index) => ({ ...workspace, id: `00000000-0000-4000-8000-00000000000${index}` }));
const explain = (workspace: Workspace): Explain => ({
  workspace_id: workspace.id,
  phase: workspace.phase,
  desired_state: workspace.desired_state,
  operation: workspace.operation,
  reason: { code: workspace.error?.reason ?? workspace.phase, fields: {}, detail: "", since: at },
  why: "",
  because: [],
  requested: events[0] ?? null,
  wish: "",
  next: workspace.next,
  path: [{ operation: "STARTING", to: "RUNNING" }],
  blockers: [
    {
      code: "EngineUnreachable",
      kind: "unknown",
      condition: "infra.container_ready",
      retry_at: null,
      fields: {},
      detail: "",
      message: "",
      since: at,
      what_to_do: "",
    },
  ],
  safety: workspace.safety,
  evaluated_at: at,
});

/** The cards of the workspace's page, drawn by modules that were loaded with the catalogue as it is now. */
async function drawn(): Promise<string[]> {
  vi.resetModules();
  vi.doMock("../hooks/clock.ts", () => ({ useNow: () => now, serverNow: () => now }));
  vi.doMock("../hooks/use-query.ts", () => ({
    useQuery: (key: string) => {
      const workspace = workspaces.find(({ id }) => key.endsWith(id));
      const answers: Record<string, unknown> = {
        history: { items: events, next_cursor: null, total: events.length },
        explain: workspace === undefined ? null : explain(workspace),
        archives: { items: [] },
      };
      return { data: answers[key.split(" ")[0] ?? ""] ?? null, error: null, loading: false, reload: () => undefined };
    },
  }));
  const { ConditionsCard } = await import("../workspace/conditions-card.tsx");
  const { HistoryCard } = await import("../workspace/history-card.tsx");
  const { LifecycleCard } = await import("../workspace/lifecycle-card.tsx");
  const { SafetyCard } = await import("../workspace/safety-card.tsx");
  const { NowAndNext } = await import("../workspace/status.tsx");
  const cards = [ConditionsCard, HistoryCard, LifecycleCard, SafetyCard, NowAndNext] as ComponentType<{
    workspace: Workspace;
    own: boolean;
  }>[];
  return workspaces.flatMap((workspace) =>
    cards.map((card) => renderToStaticMarkup(createElement(card, { workspace, own: true }))),
  );
}

/** What is left without the words: elements, classes, positions, links and buttons. */
const withoutWords = (markup: string): string =>
  markup.replaceAll(/>[^<]+</g, "><").replaceAll(/ (title|aria-label|dateTime|datetime)="[^"]*"/g, "");

afterEach(() => {
  for (const file of [catalogueFile, "../hooks/clock.ts", "../hooks/use-query.ts"]) vi.doUnmock(file);
  vi.resetModules();
});

test("with every sentence replaced by another, each card draws the same lights, positions, links and buttons", async () => {
  const before = await drawn();
  expect(before.join("")).toContain("Deleted for good");
  vi.doMock(catalogueFile, async (load) => otherWords(await load()));
  const after = await drawn();
  expect(after.join("")).not.toContain("Deleted for good");
  expect(after.join("")).toContain(other("Deleted for good"));
  expect(after.map(withoutWords)).toEqual(before.map(withoutWords));
});
