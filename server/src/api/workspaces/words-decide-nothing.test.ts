import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Condition } from "#core/rows/condition.ts";
import { EMPTY_HOME_CONTEXT, type Workspace } from "#core/rows/workspace.ts";
import type { ProgressView } from "#ports/views.ts";
import { workspace } from "../../../test/fixtures/workspace.ts";

const root = join(import.meta.dirname, "../../../..");
const catalogueFile = join(root, "contract/src/words/catalogue.ts");

/** Other words of the same length, with the same fields: what is drawn by length stays comparable. */
const other = (text: string): string =>
  text.replaceAll(/\{[^}]*\}|[a-z]/gi, (part) => {
    if (part.startsWith("{")) return part;
    const base = part < "a" ? 65 : 97;
    return String.fromCharCode(((part.charCodeAt(0) - base + 13) % 26) + base);
  });
function everyText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => everyText(one, change));
  return Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, everyText(one, change)]));
}

const NOW = Date.UTC(2026, 10, 15, 14, 4);
const seen = (status: boolean, reason: string, over: Partial<Condition> = {}): Condition => ({
  status,
  reason,
  fields: { volume: "v", count: 2 },
  message: "",
  lastTransitionTime: NOW - 120_000,
  ...over,
});
const base = workspace({
  ownerId: "00000000-0000-4000-8000-0000000000aa",
  createdAt: NOW - 3_600_000,
  updatedAt: NOW,
  lastAccessAt: NOW - 120_000,
  conditions: {
    "storage.volume_ready": seen(true, "VolumeFound"),
    "storage.archive_ready": seen(false, "NoArchive"),
    "infra.container_ready": seen(true, "ContainerRunning"),
    "infra.container_present": seen(true, "ContainerFound"),
    "policy.healthy": seen(true, "Healthy"),
  },
  phase: "RUNNING",
  phaseChangedAt: NOW - 600_000,
  observedAt: NOW,
  homeVolume: "v",
});
const lost = { reason: "DataLost", fields: { failure: "volume_lost", volume: "v" }, message: "" } as const;
const rows: readonly Partial<Workspace>[] = [
  {},
  { desiredState: "STANDBY" },
  { operation: "STARTING", phase: "STANDBY", opStartedAt: NOW - 5_000 },
  { operation: "STOPPING", phase: "STANDBY", opStartedAt: NOW - 5_000 },
  { phase: "ARCHIVED", desiredState: "ARCHIVED", homeVolume: null, archiveKey: "k" },
  { phase: "ARCHIVED", desiredState: "RUNNING", homeVolume: null, archiveKey: "k" },
  { phase: "STANDBY", desiredState: "STANDBY" },
  { phase: "PENDING", desiredState: "PENDING", homeVolume: null },
  { standbyTtlSeconds: 0 },
  { request: { version: 1, action: { kind: "restart" } } },
  {
    phase: "STANDBY",
    nextAttemptAt: NOW + 4_000,
    errorReason: "Unreachable",
    homeCtx: { ...EMPTY_HOME_CONTEXT, failedRequest: 1 },
  },
  {
    phase: "STANDBY",
    conditions: { ...base.conditions, "infra.container_ready": seen(true, "EngineUnreachable", { unknownSince: NOW }) },
  },
  {
    phase: "ERROR",
    errorReason: "DataLost",
    errorInfo: {
      ...lost,
      operation: "NONE",
      isTerminal: true,
      attempts: 0,
      elapsedMs: null,
      previousPhase: "STANDBY",
      occurredAt: NOW,
    },
    conditions: { ...base.conditions, "policy.healthy": seen(false, "DataLost", lost) },
  },
  { phase: "DELETED", desiredState: "DELETED", deletedAt: NOW - 1_000, homeVolume: null, archiveKey: "k" },
];
const lines = [
  { kind: "idle", code: "inactive", since: "2026-11-15T10:00:00.000Z" },
  { kind: "delete", code: "purged" },
  { kind: "request", code: "restart" },
  { kind: "error", code: "DataLost", failure: "volume_lost" },
].map(({ kind, ...details }, index) => ({
  id: String(index),
  at: NOW,
  kind,
  workspaceId: base.id,
  actorKind: "ttl" as const,
  actorId: null,
  actorName: null,
  summary: "not read",
  fromPhase: "RUNNING" as const,
  toPhase: "STANDBY" as const,
  operation: null,
  details,
}));
const progress: ProgressView = {
  step: "unpacking",
  doneBytes: 5,
  totalBytes: 10,
  doneFiles: 1,
  totalFiles: null,
  bytesPerSecond: null,
  etaSeconds: 3,
  waiting: { code: "no_node", fields: { message: "0/3 nodes" }, since: NOW - 60_000 },
  updatedAt: NOW,
};

/** Everything the server shows of these rows and lines, made by modules that were loaded with the catalogue as it is now. */
async function shown() {
  vi.resetModules();
  const { presentEvent } = await import("#api/accounts/present-account.ts");
  const { presentExplain } = await import("./present-explain.ts");
  const { presentWorkspace } = await import("./present-workspace.ts");
  const { doorStatus, errorPage } = await import("#proxy/pages/door-pages.ts");
  const policy = { ttl: { standbyTtlSeconds: 600, archiveTtlSeconds: 1800 }, trashRetentionMs: 86_400_000 };
  const sites = { workspaceBaseUrl: "http://{id}.localhost:8000", unsafeSingleOrigin: false };
  const views = rows.map((change) => ({
    row: { ...base, ...change },
    ownerName: "mina",
    progress,
    lastArchive: null,
    homeBytes: null,
  }));
  return {
    workspaces: views.map((view) => presentWorkspace(view, { policy, sites, now: NOW, own: true })),
    explained: views.map((view, index) => presentExplain(view, lines[index % lines.length] ?? null, policy, NOW)),
    history: lines.map(presentEvent),
    doors: views.map(({ row }) => {
      const { steps, ...status } = doorStatus(row, progress, NOW);
      // What a step says below its label is a sentence of ours; the engine's own words stand apart from it.
      return { ...status, steps: steps.map(({ detail: message, ...step }) => ({ ...step, message })) };
    }),
    // Of a page only its words may differ: its forms, links and classes stay.
    pages: views.map(({ row }) => errorPage(row, NOW).body.replaceAll(/>[^<]+</g, "><")),
  };
}
const sentenceFields = ["summary", "message", "why", "wish", "what_to_do", "heading", "label"];
const sentences = (value: unknown): unknown[] =>
  Object.entries((value ?? {}) as object).flatMap(([key, one]) =>
    sentenceFields.includes(key) ? [one] : typeof one === "object" ? sentences(one) : [],
  );
const meaning = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one) => (sentenceFields.includes(key) ? undefined : one)));

describe("with every sentence of the catalogue replaced by another", () => {
  afterEach(() => {
    vi.doUnmock(catalogueFile);
    vi.resetModules();
  });

  test("the server tells the same in codes and fields, and offers the same", async () => {
    const before = await shown();
    vi.doMock(catalogueFile, async (load) => everyText(await load(), other));
    const after = await shown();
    expect(sentences(after.workspaces)).not.toEqual(sentences(before.workspaces));
    expect(sentences(after.history)).not.toEqual(sentences(before.history));
    expect(meaning(after)).toEqual(meaning(before));
  });
});

const sources = (folder: string, skip: RegExp): { file: string; text: string }[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.includes(".test."))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !skip.test(file))
    .map((file) => ({ file: relative(root, file), text: readFileSync(file, "utf8") }));
const code = [...sources("dashboard/src", /\/words\//), ...sources("server/src", /\/job-program\//)];

describe("no code goes by what a sentence says", () => {
  /** What stands between the fields of the sentences, where it is this many words or more. */
  const toldWith = async (words: number): Promise<string[]> => {
    const { catalogue } = await import("@codehub/contract");
    const texts: string[] = [];
    everyText(catalogue, (text) => {
      texts.push(...text.split(/\{[^}]*\}/).map((part) => part.trim()));
      return text;
    });
    return [...new Set(texts)].filter((part) => part.split(/\s+/).length >= words);
  };

  test("no sentence of the catalogue is written a second time", async () => {
    const told = await toldWith(4);
    expect(told.length).toBeGreaterThan(80);
    const written = ({ file, text }: (typeof code)[number]) =>
      told.filter((part) => text.includes(part)).map((part) => `${file}: ${part}`);
    expect(code.flatMap(written)).toEqual([]);
  });

  test("nothing is compared with a piece of a sentence or matched against one", async () => {
    const literal = String.raw`("[^"\n]*"|'[^'\n]*'|\`[^\`]*\`|\/[^\/\n]+\/\w*)`;
    const compares = new RegExp(
      [
        String.raw`(?:===|!==|\bcase)\s*${literal}`,
        String.raw`\.(?:match|matchAll|replace|replaceAll|split|startsWith|endsWith|includes|indexOf|search)\(${literal}`,
        String.raw`${literal}\s*(?:===|!==|\.(?:test|exec)\()`,
      ].join("|"),
      "g",
    );
    const compared = code.flatMap(({ file, text }) =>
      [...text.matchAll(compares)].map((match) => ({ file, against: String(match[1] ?? match[2] ?? match[3]) })),
    );
    expect(compared.length).toBeGreaterThan(500);
    const told = await toldWith(2);
    expect(compared.filter(({ against }) => told.some((part) => against.includes(part)))).toEqual([]);
  });

  test("no field that holds a sentence is compared, matched or taken apart", () => {
    const field = String.raw`\.(summary|what_to_do|why|wish)\b`;
    const uses = new RegExp(
      [
        String.raw`${field}\s*(===|!==|==|!=)`,
        String.raw`(===|!==)\s*[\w.?]+${field}\s*[;)&|?]`,
        String.raw`${field}\??\.(match|matchAll|replace|replaceAll|split|startsWith|endsWith|includes|indexOf|search|slice)\(`,
        String.raw`\.(test|exec)\([\w.?]*${field}`,
        String.raw`\[[\w.?]+${field}\]`,
      ].join("|"),
    );
    expect(code.flatMap(({ file, text }) => (uses.test(text) ? [`${file}: ${uses.exec(text)?.[0]}`] : []))).toEqual([]);
  });

  test("every code that is told has its sentence", async () => {
    const { catalogue } = await import("@codehub/contract");
    const called = (pattern: RegExp) =>
      code.flatMap(({ text }) => [...text.matchAll(pattern)].map((match) => String(match[1])));
    const failures = called(/\b(?:failed|failureFields|unreadable|lost|other)\((?:"\w+", )?"([a-z_]+)"/g);
    failures.push(...called(/\bfailureOf\("\w+", "([a-z_]+)"/g));
    expect(failures).toContain("container_vanished");
    expect(failures.filter((failure) => !Object.hasOwn(catalogue.failures, failure))).toEqual([]);
    const planned = called(/(?:\bstep\([\w"]+, |: Reason = )\{ code: "(\w+)"/g);
    expect(planned).toContain("leftover_container");
    expect(planned.filter((reason) => !Object.hasOwn(catalogue.next, reason))).toEqual([]);
  });
});
