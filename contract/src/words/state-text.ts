import type { Blocker, Explain } from "../explain.ts";
import type { Condition, Next, Safety, Waiting, WorkspaceError } from "../workspace.ts";
import { catalogue } from "./catalogue.ts";
import { eventText } from "./event-text.ts";
import { type Fields, failureText, lookUp, say, withDetail } from "./say.ts";
import type { Voice } from "./voice.ts";

type Unsaid<T, K extends keyof T> = Omit<T, K>;

/** A condition as a sentence. Those of versions that wrote sentences carry no fields: they are shown as they are. */
export function conditionText(key: string, condition: Condition, voice: Voice): string {
  const { reason, fields, detail, message } = condition;
  if (fields === undefined) return message;
  if (typeof fields["failure"] === "string") return failureText(fields, detail ?? "", voice);
  const text = lookUp(catalogue.conditionReasons, `${key} ${reason}`) ?? lookUp(catalogue.conditionReasons, reason);
  return withDetail(say(text, fields, voice), detail ?? "");
}

export const errorText = (error: Pick<WorkspaceError, "fields" | "detail">, voice: Voice): string =>
  failureText(error.fields, error.detail, voice);

/** What a start waits for; of a code that is not known, what was said about it. */
export function waitingText({ code, fields, detail }: Unsaid<Waiting, "message" | "since">, voice: Voice): string {
  return say(lookUp(catalogue.waiting, code), fields, voice) ?? (detail === "" ? code : detail);
}

/** What became of a repository, or of a part of it; of a code that is not known, the code. */
export const setupText = (code: string, fields: Fields, voice: Voice): string =>
  say(lookUp(catalogue.clone, code), fields, voice) ?? code;

/** What a test of a key found, in the words for a clone where they are the same. */
export const keyTestText = (code: string, fields: Fields, voice: Voice): string =>
  say(lookUp(catalogue.keyTest, code), fields, voice) ?? setupText(code, fields, voice);

/** What of a project's own set-up file is not as its author meant it. */
export const projectNoticeText = (code: string, fields: Fields, voice: Voice): string =>
  say(lookUp(catalogue.setup, code), fields, voice) ?? code;

/** What happens next, in full. */
export function nextText({ code, fields, operation, at }: Unsaid<Next, "summary">, voice: Voice): string {
  const remedy = lookUp(catalogue.errors, code)?.remedy;
  return remedy ?? say(lookUp(catalogue.next, code), { operation, at, ...fields }, voice) ?? code;
}

/** Where the home is, and how old the last copy beside it is. */
export function safetyText(safety: Unsaid<Safety, "summary">, voice: Voice): string {
  const { level, home_in: homeIn, last_verified_archive: archive } = safety;
  const named = level === "empty" && archive === null ? "no_home" : level;
  const { safety: words } = catalogue;
  const text = lookUp(words, `${level} ${homeIn}`) ?? lookUp(words, named) ?? lookUp(words, homeIn);
  const home = say(text, {}, voice);
  if (level === "empty" && archive === null) return home ?? "";
  const copy =
    archive === null
      ? say(words["never_archived"], {}, voice)
      : say(words["last_archive"], { age_ms: archive.age_seconds * 1000, verified_at: archive.verified_at }, voice);
  return `${home} ${copy}`;
}

/** Why it is in this phase, without the phase and its time. */
export function reasonText({ phase, reason }: Pick<Explain, "phase" | "reason">, voice: Voice): string {
  if (phase !== "ERROR" || reason.code === phase) {
    const ended = withDetail(say(catalogue.explain["ended"], reason.fields, voice), reason.detail);
    return withDetail(`${catalogue.phases[phase].because}.`, ended);
  }
  const title = lookUp(catalogue.errors, reason.code)?.title ?? reason.code;
  return withDetail(`${title}.`, failureText(reason.fields, reason.detail, voice));
}

export const whyText = (explain: Pick<Explain, "phase" | "reason">, voice: Voice): string =>
  say(
    catalogue.explain["why"],
    { phase: explain.phase, since: explain.reason.since, because: reasonText(explain, voice) },
    voice,
  ) ?? "";

/** Who or what: a person by name, a part of the system by what it is. */
export const actorText = (actor: NonNullable<Explain["requested"]>["actor"]): string =>
  actor.username ?? catalogue.actors[actor.kind] ?? actor.kind;

export function requestedText(explain: Pick<Explain, "desired_state" | "requested">, voice: Voice): string {
  const { requested, desired_state: state } = explain;
  if (requested === null) return say(catalogue.explain["requested"], { state }, voice) ?? "";
  const { username } = requested.actor;
  const fields = {
    state,
    username,
    part: actorText(requested.actor),
    at: requested.at,
    event: eventText(requested, voice),
  };
  return say(catalogue.explain["requested_by"], fields, voice) ?? "";
}

export function blockerText(blocker: Unsaid<Blocker, "message" | "what_to_do">, voice: Voice): string {
  const { kind, fields, detail, condition, since, retry_at: at } = blocker;
  const failure = failureText(fields, detail, voice);
  if (kind === "unknown") return withDetail(say(catalogue.blockers["unknown"], { condition, since }, voice), failure);
  if (kind === "retry") return withDetail(failure, say(catalogue.blockers["retry"], { at }, voice) ?? "");
  return failure === "" ? (say(catalogue.blockers["error"], {}, voice) ?? "") : failure;
}

export function blockerRemedy({ kind, code, condition }: Pick<Blocker, "kind" | "code" | "condition">): string {
  const remedy = kind === "unknown" ? undefined : lookUp(catalogue.errors, code)?.remedy;
  if (remedy !== undefined) return remedy;
  const who = condition === "storage.archive_ready" ? "store_must_answer" : "engine_must_answer";
  return String(catalogue.blockers[who]);
}
