import { catalogue, errorText, say, span, utcVoice } from "@codehub/contract/words";
import type { ContainerEnd, Workspace } from "#core/rows/workspace.ts";
import type { ErrorInfo } from "#core/rules/errors.ts";
import { isEmptied } from "#core/rules/phase.ts";
import type { ProgressView, SlotHolder } from "#ports/views.ts";
import { getsRepository, type VisitState, visitState } from "#proxy/door/visit.ts";
import { escapeHtml, type Page } from "./layout.ts";
import { type WakeStep, wakeSteps } from "./wake-steps.ts";

/** Paths on the dashboard's origin that belong to one workspace's door. */
export const doorPath = (workspaceId: string, rest = "/"): string => `/w/${workspaceId}${rest}`;

const action = (workspaceId: string, name: string): string => doorPath(workspaceId, `/.codehub/${name}`);

const button = (workspaceId: string, name: string, label: string, primary = true): string =>
  `<form method="post" action="${escapeHtml(action(workspaceId, name))}"><button${primary ? ' class="primary"' : ""}>${escapeHtml(label)}</button></form>`;

/** There from the beginning, because the page learns only later what it waits for. */
const skip = (workspaceId: string, shown: boolean): string =>
  `<div id="skip"${shown ? "" : " hidden"}>${button(workspaceId, "skip", "Open without waiting", false)}</div>`;

const DASHBOARD = '<a class="button" href="/">Go to the dashboard</a>';

/** The same words for the page and for the status it asks for while it waits. */
export interface DoorStatus {
  readonly state: VisitState;
  readonly heading: string;
  readonly message: string;
  readonly steps: readonly WakeStep[];
  /** Something that is waited for can be done without. */
  readonly can_skip: boolean;
}

export function doorStatus(row: Workspace, progress: ProgressView | null, now: number): DoorStatus {
  const state = visitState(row);
  const steps = state === "waking" || state === "ready" ? wakeSteps(row, progress, now) : [];
  return {
    state,
    heading: headingOf(state, row),
    message: messageOf(state, row, now),
    steps,
    can_skip: getsRepository(row),
  };
}

/** What is at rest and has no volume. */
const restWords: Partial<Record<Workspace["phase"], string>> = { ARCHIVED: "archived", PENDING: "empty" };

function headingOf(state: VisitState, row: Workspace): string {
  switch (state) {
    case "ready":
      return `Opening ${row.name}`;
    case "waking":
      return `${getsRepository(row) ? "Preparing" : "Waking"} ${row.name}`;
    case "asleep":
      return `${row.name} is ${restWords[row.phase] ?? "in standby"}`;
    case "error":
      return `${row.name} needs attention`;
    case "resetting":
      return `${row.name} is being emptied`;
    case "gone":
      return `${row.name} was deleted`;
  }
}

function messageOf(state: VisitState, row: Workspace, now: number): string {
  const unreachable = row.conditions["storage.archive_ready"]?.unknownSince;
  switch (state) {
    case "ready":
      return "The workspace is running.";
    case "waking":
      if (row.homeVolume === null && row.archiveKey !== null && unreachable !== undefined)
        return `The storage with the archive cannot be reached; it last answered ${ago(now - unreachable)}. Your request is kept: the workspace opens as soon as the storage answers. Nothing is lost.`;
      if (row.nextAttemptAt !== null && row.nextAttemptAt > now)
        return `${say(catalogue.blockers["retry"], { at: row.nextAttemptAt }, utcVoice(now))} The last attempt did not work${row.errorInfo === null ? "." : `: ${told(row.errorInfo, now)}`}`;
      return "The IDE opens here by itself as soon as it answers.";
    case "asleep":
      if (isEmptied(row)) return "It was emptied. Opening it starts it with a new, empty home.";
      return row.phase === "ARCHIVED"
        ? "Its home is kept in an archive. Resuming restores your files and opens the IDE; programs that were running have ended."
        : row.homeCtx.ended !== null
          ? `${endedText(row.homeCtx.ended, now)} Your files are kept. Resuming starts it again, where there is room for it.`
          : "It was stopped, as it is when nobody uses it for a while. Your files are kept; programs that were running have ended.";
    case "error":
      return "It was stopped to keep your files safe.";
    case "resetting":
      return "Its owner confirmed that the home is emptied. It can be started again afterwards; the old home is in the trash until then.";
    case "gone":
      return "A deleted workspace cannot be opened. It can be restored from the trash on the dashboard while it is kept there.";
  }
}

const endedText = ({ code, fields, at }: ContainerEnd, now: number): string =>
  say(catalogue.explain["ended"], { ...fields, ended: code, ended_at: at }, utcVoice(now)) ?? "";

const told = (info: ErrorInfo, now: number): string =>
  errorText({ fields: { ...info.fields }, detail: info.message }, utcVoice(now));

const ago = (ms: number): string => `${span(ms)} ago`;

const stepList = (steps: readonly WakeStep[]): string =>
  `<ol class="steps" id="steps" aria-live="polite">${steps
    .map(
      (step) =>
        `<li class="${step.state}"><span class="label">${escapeHtml(step.label)}</span>${
          step.detail === "" ? "" : `<span class="detail">${escapeHtml(step.detail)}</span>`
        }${step.said === "" ? "" : `<span class="said">${escapeHtml(step.said)}</span>`}${step.percent === null ? "" : `<progress max="100" value="${step.percent}" aria-label="${escapeHtml(step.label)}"></progress>`}</li>`,
    )
    .join("")}</ol>`;

/** Where a page that waits goes, and what it asks for on the way. */
export interface Waiting {
  readonly open: string;
  /** Of the question how far it is. */
  readonly query: string;
  /** Waits for a slot first and then asks to be woken. */
  readonly room: boolean;
}

/** Shows the real steps and opens the IDE by itself. */
export function waitingPage(row: Workspace, status: DoorStatus, { open, query, room }: Waiting): Page {
  return {
    status: 200,
    title: row.name,
    heading: room && status.state === "asleep" ? `Making room for ${row.name}` : status.heading,
    tone: "calm",
    body: `<p id="message">${escapeHtml(room && status.state === "asleep" ? "Another workspace is being put to standby. This one starts as soon as its place is free." : status.message)}</p>
${stepList(status.steps)}
<div class="actions"><noscript><a class="button primary" href="${escapeHtml(open)}">Look again</a></noscript>${skip(row.id, status.can_skip)}${DASHBOARD}</div>`,
    live: {
      state: status.state,
      status: action(row.id, `status${query}`),
      open,
      wake: action(row.id, "wake"),
      ...(room ? { room: "1" } : {}),
    },
  };
}

/** For a visit that no person started, and for a tab whose workspace went to sleep. */
export function resumePage(row: Workspace, status: DoorStatus): Page {
  return {
    status: 200,
    title: row.name,
    heading: status.heading,
    tone: "calm",
    body: `<p>${escapeHtml(status.message)}</p>
<div class="actions">${button(row.id, "wake", "Resume")}${DASHBOARD}</div>`,
  };
}

export function limitPage(row: Workspace, scope: "user" | "global", running: readonly SlotHolder[], now: number): Page {
  const idlest = running[0];
  const list = running
    .map(
      (holder) =>
        `<li><strong>${escapeHtml(holder.name)}</strong><span>last used ${escapeHtml(ago(now - holder.lastAccessAt))}</span></li>`,
    )
    .join("");
  const why =
    scope === "user"
      ? `You may run ${running.length === 1 ? "one workspace" : `${running.length} workspaces`} at a time. These are running:`
      : "This server runs as many workspaces as it can hold at the moment. Yours that are running:";
  return {
    status: 502,
    title: row.name,
    heading: `${row.name} cannot start yet`,
    tone: "warn",
    body: `<p>${escapeHtml(why)}</p>
${list === "" ? "" : `<ul class="list">${list}</ul>`}
<div class="actions">${idlest === undefined ? "" : button(row.id, "make-room", `Put ${idlest.name} to standby and open this one`)}${DASHBOARD}</div>
<p class="note">${idlest === undefined ? "Try again later." : "Its files are kept; programs that run in it end."}</p>`,
  };
}

/** Where something would be given up by going on, one press is not enough: the choice is made on the dashboard. */
export function errorPage(row: Workspace, now: number): Page {
  const info = row.errorInfo;
  const reason = row.errorReason ?? info?.reason ?? "ActionFailed";
  const doing =
    info === null || info.operation === "NONE" ? "" : ` (${catalogue.operations[info.operation].doing.toLowerCase()})`;
  const recover =
    reason === "DataLost"
      ? `<a class="button primary" href="/workspaces/${row.id}">Choose on the dashboard</a>`
      : button(row.id, "recover", "Recover");
  return {
    status: 503,
    title: row.name,
    heading: headingOf("error", row),
    tone: "error",
    body: `<p>${escapeHtml(messageOf("error", row, now))}</p>
<div class="reason"><strong>${escapeHtml(catalogue.errors[reason].title)}${escapeHtml(doing)}</strong>${info === null ? "" : `\n${escapeHtml(told(info, now))}`}</div>
<p><strong>What to do:</strong> ${escapeHtml(catalogue.errors[reason].remedy)}</p>
<div class="actions">${recover}${DASHBOARD}</div>`,
  };
}

export function plainPage(row: Workspace, status: DoorStatus): Page {
  return {
    status: status.state === "resetting" ? 409 : 404,
    title: row.name,
    heading: status.heading,
    tone: "warn",
    body: `<p>${escapeHtml(status.message)}</p><div class="actions">${DASHBOARD}</div>`,
  };
}
