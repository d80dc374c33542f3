import { expect, test } from "vitest";
import { catalogue } from "./catalogue.ts";
import { eventText } from "./event-text.ts";
import { say } from "./say.ts";
import { blockerText, conditionText, nextText, requestedText, safetyText, waitingText, whyText } from "./state-text.ts";
import { datedVoice, utcVoice } from "./voice.ts";

const now = Date.UTC(2026, 10, 15, 14, 4);
const voice = utcVoice(now);
const iso = (ms: number) => new Date(ms).toISOString();

const stringsOf = (value: unknown): string[] =>
  typeof value === "string" ? [value] : Object.values(value as object).flatMap(stringsOf);
const all = stringsOf(catalogue);
const event = { kind: "wish", from_phase: null, to_phase: null, operation: null, summary: "as written", details: {} };

test.each([
  [{ kind: "wish", to_phase: "ARCHIVED" }, "Requested to be archived"],
  [{ kind: "created", to_phase: "RUNNING" }, "Created, to be running"],
  [{ kind: "operation_started", operation: "RESTORING" }, "Restoring the home began"],
  [
    { kind: "operation_started", operation: "ARCHIVING", details: { code: "deleted_last_copy" } },
    "Archiving the home began, for a last copy before it is deleted",
  ],
  [
    { kind: "operation_completed", operation: "STARTING", to_phase: "RUNNING", details: { duration_ms: 2840 } },
    "Running: start done, took 2.8 s",
  ],
  [
    { kind: "error", details: { code: "ActionFailed", failure: "container_keeps_ending", count: 3, message: "boom" } },
    "An attempt failed: The container ended 3 times within 10 minutes. Its last lines:\nboom",
  ],
  [
    { kind: "taken_away", to_phase: "STANDBY", details: { code: "evicted", message: "low on memory" } },
    "Went to standby because its node ran short of memory or disk and the cluster took it away",
  ],
  [
    { kind: "taken_away", to_phase: "STANDBY", details: { code: "a code of a newer version" } },
    "Went to standby because the container was taken away",
  ],
  [
    { kind: "phase_changed", to_phase: "STANDBY", details: { code: "seen", ended: "out_of_memory" } },
    "Seen as standby, because it used more memory than it may",
  ],
  [
    { kind: "phase_changed", to_phase: "STANDBY", details: { code: "seen", ended: "exited", exit_code: 7 } },
    "Seen as standby, because its program ended by itself (exit code 7)",
  ],
  [{ kind: "phase_changed", to_phase: "STANDBY", details: { code: "seen", exit_code: 7 } }, "Seen as standby"],
  [{ kind: "delete", details: { code: "purged" } }, "Deleted for good"],
  [{ kind: "request", details: { code: "restart" } }, "Requested to restart"],
  [
    { kind: "cache_emptied", details: { code: "cache_emptied", cache: "go_build", freed_bytes: 5 } },
    "The cache of Go builds was emptied: 5 bytes freed",
  ],
  [
    { kind: "cache_emptied", details: { code: "in_part", cache: "npm", freed_bytes: null } },
    "The cache of npm was emptied in part",
  ],
  [
    { kind: "idle", details: { code: "inactive", since: "2026-11-15T10:00:00.000Z" } },
    "Went to standby because idle since 2026-11-15 10:00 UTC",
  ],
] as const)("a line of history: %o reads %s", (over, words) => {
  expect(eventText({ ...event, ...over }, datedVoice)).toBe(words);
});

test.each([
  ["a kind nobody knows", { kind: "teleported" }],
  ["a code nobody knows", { kind: "delete", details: { code: "evaporated" } }],
  ["a code whose fields are missing", { kind: "idle", details: { code: "inactive" } }],
  ["a line of 0.1.0, which wrote a sentence and no code", { kind: "idle", summary: "no activity since noon" }],
  ["a deletion of 0.1.0", { kind: "delete", summary: "deleted; undo is possible" }],
])("%s is shown as it was written down", (_, over) => {
  expect(eventText({ ...event, ...over }, datedVoice)).toBe({ ...event, ...over }.summary);
});

test("lines of 0.1.0 whose summary was a code are still understood", () => {
  expect(eventText({ ...event, kind: "request", summary: "recover" }, voice)).toBe("Requested to recover");
  const lost = { ...event, kind: "error", summary: "DataLost", details: { message: "ws-1 is gone" } };
  expect(eventText(lost, voice)).toBe("The volume with the home is gone: ws-1 is gone");
});

test("conditions are said from reason and fields, and those of 0.1.0 as they were written", () => {
  const seen = { status: true, message: "not read", last_transition_time: iso(now), fields: {}, detail: "" };
  const present = { ...seen, reason: "ContainerFound" };
  const text = (count: number) => conditionText("infra.container_present", { ...present, fields: { count } }, voice);
  expect(text(1)).toBe("1 container belongs to this workspace.");
  expect(text(2)).toBe("2 containers belong to this workspace.");
  expect(
    conditionText("infra.container_ready", { ...seen, reason: "EngineUnreachable", detail: "ECONNREFUSED" }, voice),
  ).toBe("It cannot be seen which containers are there. ECONNREFUSED");
  const lost = { ...seen, reason: "DataLost", fields: { failure: "volume_lost", volume: "ws-1" } };
  expect(conditionText("policy.healthy", lost, voice)).toMatch(/^The volume with the home was looked for twice/);
  const old = { status: true, reason: "VolumeFound", message: "Volume ws-1 is there.", last_transition_time: iso(now) };
  expect(conditionText("storage.volume_ready", old, voice)).toBe("Volume ws-1 is there.");
});

test.each([
  ["scheduling", {}, "", "The cluster is choosing a node for it"],
  ["no_node", {}, "0/3 nodes are available", "No node of the cluster can take it yet"],
  ["attaching", {}, "", "Its disk is being connected to the node"],
  ["disk_elsewhere", {}, "Multi-Attach error", "Its disk is still attached to another node"],
  ["disk_refused", {}, "MountVolume.SetUp failed", "Its disk cannot be used on the node yet"],
  ["pulling", { done_bytes: 1, total_bytes: null }, "", "The image of the workspace is being pulled"],
  ["installing", {}, "Fetching code-server", "The IDE is being installed, once for all workspaces"],
  ["preparing", {}, "", "Its container is being prepared"],
  ["answering", {}, "", "The container runs; the IDE does not answer yet"],
  ["a code of a newer version", {}, "What it said about it", "What it said about it"],
  ["a code without words", {}, "", "a code without words"],
] as const)("a start that waits: %s", (code, fields, detail, words) => {
  expect(waitingText({ code, fields, detail }, voice)).toBe(words);
});

test("what explain tells is said with who, what, when and why", () => {
  const requested = {
    ...event,
    id: "7",
    at: iso(now - 120_000),
    workspace_id: null,
    kind: "idle",
    to_phase: "STANDBY" as const,
    actor: { kind: "ttl" as const, user_id: null, username: null },
    details: { code: "inactive", since: iso(now - 720_000) },
  };
  expect(requestedText({ desired_state: "STANDBY", requested }, voice)).toBe(
    "Requested to be on standby by the idle timer (14:02 UTC): Went to standby because idle since 13:52 UTC.",
  );
  const reason = { code: "ImagePullFailed", fields: {}, detail: "no such tag", since: iso(now - 86_400_000) };
  expect(whyText({ phase: "ERROR", reason }, voice)).toBe(
    "Error since 2026-11-14 14:04 UTC: The image could not be pulled. no such tag",
  );
  const drained = { ended: "drained", ended_at: iso(now - 60_000) };
  const standby = { code: "STANDBY", fields: drained, detail: "Eviction API: evicting", since: iso(now) };
  expect(whyText({ phase: "STANDBY", reason: standby }, voice)).toBe(
    "Standby since 14:04 UTC: the home is on a volume and no container answers. The container ended 14:03 UTC because the cluster took it off its node, which is being emptied or does not answer. Eviction API: evicting",
  );
  const asleep = { ...standby, fields: {}, detail: "" };
  expect(whyText({ phase: "STANDBY", reason: asleep }, voice)).toBe(
    "Standby since 14:04 UTC: the home is on a volume and no container answers.",
  );
  expect(
    nextText(
      { kind: "standby", operation: null, at: iso(now + 480_000), code: "idle_since", fields: { since: iso(now) } },
      voice,
    ),
  ).toBe("Standby in 8 min, because idle since 14:04 UTC.");
  const blocker = { code: "EngineUnreachable", retry_at: null, fields: {}, detail: "ECONNREFUSED", since: iso(now) };
  expect(blockerText({ ...blocker, kind: "unknown", condition: "infra.container_ready" }, voice)).toBe(
    "“IDE answers” is unknown since 14:04 UTC. ECONNREFUSED",
  );
  expect(safetyText({ level: "empty", home_in: "nowhere", last_verified_archive: null }, voice)).toBe(
    "There is no home yet.",
  );
});

test("every placeholder is said in a way there is", () => {
  const fields = new Map<string, string>();
  for (const text of all)
    for (const [whole, name] of text.matchAll(/\{(\w+)(?::\w+)?\}/g)) fields.set(whole, String(name));
  const samples = ["RUNNING", "STARTING", "DataLost", "restart", "drained", "npm", ["policy.healthy"], 1, iso(now)];
  for (const [placeholder, name] of fields) {
    const said = samples.filter((sample) => say(placeholder, { [name]: sample }, voice) !== null);
    expect(said, placeholder).not.toEqual([]);
  }
});

test("no name of a machine and no number of ours is in a sentence for people", () => {
  const names = /\{(volume|archive|container|op_id|before|epoch|pid|found|expected|id|user_id|key)(:\w+)?\}/;
  expect(all.filter((text) => names.test(text))).toEqual([]);
});

test("the words are the ones people use", () => {
  const ours =
    /\b(wish|wished|fall back|falls|falling|tak(e|en) (it )?back|could not be had|as the server says|made)\b/i;
  expect(all.filter((text) => ours.test(text))).toEqual([]);
});
