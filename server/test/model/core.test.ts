import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { answerRequest } from "#core/requests/answer-request.ts";
import { nextDemotion } from "#core/requests/idle.ts";
import { requestRepository, requestSkip } from "#core/requests/repository.ts";
import * as wishes from "#core/requests/requests.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { commit } from "#core/rules/completion.ts";
import { protection } from "#core/rules/gc.ts";
import { plan } from "#core/rules/plan.ts";
import { claim, takeOver } from "#core/rules/transitions.ts";
import { SOURCE } from "../fixtures/workspace.ts";
import { withNamesOnly } from "./canonical.ts";
import { planFor, reality, type View } from "./coordinator.ts";
import { explore, type Result, type System } from "./explore.ts";
import { untested } from "./invariants.ts";
import { protocol } from "./protocol.ts";
import { boundsOf, CLOSED_PROTOCOL, isProtected, type MixBounds, type RequestName, type Rules } from "./rules.ts";
import type { Driver, State } from "./state.ts";
import * as t from "./translate.ts";

/**
 * The model is evidence about the protocol; these tests make it evidence about the program's pure core. In every state
 * that a mix can reach, the core is asked what it would do, and the answer must be the model's.
 */
type Moves = ReturnType<System<State>["moves"]>;
type Question = (rules: Rules, s: State, moves: Moves) => string | null;

const differs = (what: string, model: unknown, core: unknown): string | null =>
  isDeepStrictEqual(model, core) ? null : `${what}: model ${JSON.stringify(model)}, core ${JSON.stringify(core)}`;

const plans: Question = (rules, s) => {
  const { container, row } = s;
  const orphan = container !== null && (container.instance !== row.endpoint || container.volume !== row.volume);
  if (row.operation !== "NONE" || orphan) return null;
  for (const blind of [null, "container", "volume", "archive"] as const) {
    const view: View = reality(s);
    if (blind !== null && view[blind] !== "yes") continue;
    const model = planFor(rules, s, blind === null ? view : { ...view, [blind]: "unknown" });
    const answer = plan(t.toWorkspace(s, blind), t.NOW);
    const found = differs(`plan, blind to ${blind}`, model, answer.kind === "operate" ? answer.operation : null);
    if (found !== null) return found;
  }
  return null;
};

const after = (row: Workspace, patch: Partial<Workspace> | undefined): unknown =>
  patch === undefined ? "refused" : t.essentials({ ...row, ...patch });

const claims: Question = (_, s, moves) => {
  const move = moves.find((m) => m.kind === "claim");
  if (move === undefined || s.leader === null || move.to.row.operation === "NONE") return null;
  const facts = t.toFacts(s);
  const { operation, attempt } = move.to.row;
  const input = {
    rowVersion: 1,
    operation,
    opId: t.attemptOf(attempt),
    epoch: t.EPOCH,
    why: { code: "towards_request" },
  };
  return differs(`claim of ${operation}`, t.essentialsOfModel(move.to), after(facts.row, claim(facts, input)?.patch));
};

const takeovers: Question = (_, s, moves) => {
  const move = moves.find((m) => m.kind === "takeover");
  if (move === undefined) return null;
  const facts = t.toFacts(s);
  const [opId, freshOpId] = [t.attemptOf(s.row.attempt), t.attemptOf(s.nextId)];
  const core = takeOver(facts, { opId, freshOpId, epoch: t.EPOCH })?.patch;
  return differs(`takeover of ${s.row.operation}`, t.essentialsOfModel(move.to), after(facts.row, core));
};

const commits: Question = (_, s, moves) => {
  const ready = (d: Driver): boolean => d.stage === "commit";
  const seats = [...(s.leader === null ? [] : [s.leader]), ...s.zombies];
  const steps = moves.filter((m) => m.kind.startsWith("commit."));
  for (const [i, driver] of seats.filter(ready).entries()) {
    const made = t.toMade(driver);
    const move = steps[i];
    if (made === null || driver.operation === "NONE" || move === undefined) continue;
    const facts = t.toFacts(s);
    const opId = t.attemptOf(driver.attempt);
    const { operation } = driver;
    const input = { operation, opId, epoch: t.epochOf(driver), made, keepVersions: 0, trashRetentionMs: 1 };
    const core = after(facts.row, commit(facts, input)?.patch);
    const model = move.kind === "commit.refused" ? "refused" : t.essentialsOfModel(move.to);
    const found = differs(`commit of ${driver.operation}`, model, core);
    if (found !== null) return found;
  }
  return null;
};

const undoing: Question = (_, s, moves) => {
  for (const move of moves.filter((m) => m.kind === "wish.undo-reset")) {
    const facts = t.toFacts(s);
    const asked = wishes.requestRestoreArchive(requestInput(facts.row), t.attemptOf(move.to.row.archive), "user");
    const row = { ...facts.row, ...asked.write };
    const core = after(row, asked.write === null ? undefined : answerRequest({ ...facts, row })?.patch);
    const found = differs("undo of a reset", t.essentialsOfModel(move.to), core);
    if (found !== null) return found;
  }
  return null;
};

const protections: Question = (rules, s) => {
  const { row, archives } = t.toFacts(s);
  for (const { id } of s.objects) {
    const key = t.keyOfArchive(id);
    const record = archives.find((x) => x.key === key) ?? null;
    const core = protection(key, row, record, t.NOW) !== null;
    // In ERROR the core keeps everything until a person has looked. The model promises less, and holds with less.
    if (core && row.errorInfo?.isTerminal === true) continue;
    const found = differs(`protection of object ${id}`, isProtected(rules, s, id), core);
    if (found !== null) return found;
  }
  return null;
};

const requestInput = (row: Workspace): wishes.RequestInput => ({ row, now: t.NOW, slots: { ofOwner: 0, global: 0 } });
const LIMITS = { maxRunningPerUser: 9, maxRunningGlobal: 9 };
const WISH: Partial<Record<RequestName, (input: wishes.RequestInput) => wishes.Verdict>> = {
  run: (input) => wishes.requestLevel(input, "RUNNING", LIMITS, "user"),
  standby: (input) => wishes.requestLevel(input, "STANDBY", LIMITS, "user"),
  archive: (input) => wishes.requestLevel(input, "ARCHIVED", LIMITS, "user"),
  reset: (input) => wishes.requestReset(input, "home", "user"),
  wake: (input) => wishes.requestWake(input, LIMITS, "user"),
  delete: (input) => wishes.requestDelete(input, null, "user"),
  purge: (input) => wishes.requestDelete(input, { confirmation: "home" }, "user"),
  undelete: (input) => wishes.requestUndelete(input, "user"),
};

const wishing: Question = (_, s, moves) => {
  if (s.left.wishes === 0) return null;
  const row = t.toWorkspace(s);
  for (const [name, ask] of Object.entries(WISH)) {
    const wish = ask(requestInput(row));
    // A wish for what is wished already changes nothing but its version; the model does not spend a wish on it.
    const same = isDeepStrictEqual(after(row, wish.write ?? {}), t.essentials(row));
    const core = wish.write === null || same ? "nothing" : after(row, wish.write);
    const move = moves.find((m) => m.kind === `wish.${name}`);
    const found = differs(`wish ${name}`, move === undefined ? "nothing" : t.essentialsOfModel(move.to), core);
    if (found !== null) return found;
  }
  return null;
};

const asking: Question = (_, s, moves) => {
  const row = t.toWorkspace(s);
  const asked = {
    "wish.repository": requestRepository(requestInput(row), { source: SOURCE, keysAllowed: null }, "user"),
    "wish.skip": requestSkip(requestInput(row), "user"),
  };
  for (const [kind, { write }] of Object.entries(asked)) {
    const move = moves.find((m) => m.kind === kind);
    if (move === undefined) continue;
    const found = differs(kind, t.essentialsOfModel(move.to), after(row, write ?? undefined));
    if (found !== null) return found;
  }
  return null;
};

const demotions: Question = (_, s, moves) => {
  if (s.left.ttlRuns === 0 || s.ttl !== null) return null;
  const core = nextDemotion(t.toWorkspace(s), { standbyTtlSeconds: 60, archiveTtlSeconds: 60 });
  const move = moves.find((m) => m.kind === "ttl.read");
  // The program reads the stored phase, which ERROR and a lost volume take out of the ladder; the model does not.
  if (core === null && move !== undefined && (s.row.error || s.oracle.diskLost)) return null;
  return differs("TTL", move?.to.ttl?.to ?? null, core?.to ?? null);
};

const QUESTIONS = [plans, claims, takeovers, commits, undoing, protections, demotions, asking];

function firstDisagreement(rules: Rules, mix: MixBounds): Result {
  const bounds = boundsOf(mix);
  const system = protocol(rules, bounds, untested());
  // Where the mix leaves wishes out, their absence among the moves says nothing.
  const asked = Object.keys(WISH).every((name) => bounds.wishes.includes(name as RequestName))
    ? [...QUESTIONS, wishing]
    : QUESTIONS;
  const violation = (s: State): string | null => {
    const moves = system.moves(s);
    for (const question of asked) {
      const found = question(rules, s, moves);
      if (found !== null) return found;
    }
    return null;
  };
  return explore({ ...system, canonical: withNamesOnly, violation }, { liveness: false, limit: 500_000 });
}

const EVERY_WISH = ["run", "standby", "archive", "reset", "wake", "delete", "purge", "undelete"] as const;
const MIXES: readonly [string, MixBounds][] = [
  ["crash, TTL, every wish", { wishes: EVERY_WISH, left: { wishes: 2, writes: 1, crashes: 1, ttlRuns: 1 } }],
  ["zombie", { wishes: ["run", "archive"], left: { writes: 1, freezes: 1 } }],
  ["overlap", { wishes: ["run", "archive"], left: { writes: 1, overlaps: 1 } }],
  [
    "a repository, another, no patience, crash",
    {
      wishes: ["run", "archive", "delete", "repository", "skip"],
      repository: true,
      left: { wishes: 1, writes: 1, asks: 1, skips: 1, crashes: 1 },
    },
  ],
  [
    "a repository, reset, undo",
    {
      wishes: ["run", "archive", "reset", "undo-reset", "repository"],
      repository: true,
      left: { wishes: 3, writes: 0, asks: 1 },
    },
  ],
  ["timeout, disk lost", { wishes: ["run", "reset", "undo-reset"], left: { writes: 1, failures: 1, diskLosses: 1 } }],
];

test.each(MIXES)("the core decides as the model does: %s", (_, mix) => {
  const { verdict, reason, trace, states } = firstDisagreement(CLOSED_PROTOCOL, mix);
  process.stdout.write(`${states.toLocaleString("en")} states compared with the core\n`);
  expect({ verdict, reason, trace }).toEqual({ verdict: "holds", reason: "", trace: [] });
});

/** What is listed after the first rule only opens the way to a state in which the first one matters. */
const DIFFERENT: readonly [readonly [keyof Rules, ...(keyof Rules)[]], MixBounds][] = [
  [["fence"], { wishes: ["run", "archive"], left: { freezes: 1 } }],
  [["fenceOperation", "timeoutStops"], { wishes: ["run", "archive"], left: { failures: 1 } }],
  [["freshOnRelaunch"], { wishes: ["run", "archive"], left: { crashes: 1 } }],
  [["freshOnClaim"], { wishes: ["run", "archive"], left: { failures: 1 } }],
  [["discardRechecks"], { wishes: ["reset", "run"] }],
  [["deleteRechecks", "undeleteNotExpired"], { wishes: ["delete", "undelete"] }],
  [["dropAtExpiry"], { wishes: ["delete"] }],
  [["overClearsKey"], { wishes: ["delete"] }],
  [["lastCopyInError"], { wishes: ["delete"], left: { failures: 1 } }],
  [["guardPointers"], { wishes: ["run", "archive"], left: { diskLosses: 1 } }],
  [["trashProtected"], { wishes: ["reset"] }],
  [["gcProtectsDeleted"], { wishes: ["delete"] }],
  [["gcProtectsAttempt"], { wishes: ["archive"] }],
  [["overProtectsNothing"], { wishes: ["delete"] }],
  [["newHomeForgets"], { wishes: ["run", "reset"], repository: true }],
  [["notesFailure"], { repository: true }],
  [["notesItsRequest"], { wishes: ["repository"], repository: true, left: { asks: 1 } }],
  [["ttlLowers"], { wishes: [], left: { ttlRuns: 1 } }],
  [["undeleteNotExpired"], { wishes: EVERY_WISH }],
  [["undeleteNotPurged"], { wishes: EVERY_WISH }],
  [["deleteOnce"], { wishes: EVERY_WISH }],
  [["patchNotDeleted"], { wishes: EVERY_WISH }],
  [["wakeSparesReset"], { wishes: EVERY_WISH }],
];

test.each(DIFFERENT)("a core without %s would be noticed", (off, mix) => {
  const rules = { ...CLOSED_PROTOCOL, ...Object.fromEntries(off.map((rule) => [rule, false])) };
  expect(firstDisagreement(rules, mix).verdict).toBe("violated");
});
