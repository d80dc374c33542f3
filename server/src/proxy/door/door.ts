import type { IncomingMessage, ServerResponse } from "node:http";
import type { Workspace } from "#core/rows/workspace.ts";
import type { SessionRecord, SessionStore } from "#ports/accounts.ts";
import type { Clock } from "#ports/clock.ts";
import { REQUEST, type Tracer } from "#ports/tracer.ts";
import type { Views, WorkspaceView } from "#ports/views.ts";
import type { ProxyMetrics } from "#proxy/metrics.ts";
import { redirect, refusedMethod, sendJson, sendText } from "#proxy/pages/answers.ts";
import {
  doorPath,
  doorStatus,
  errorPage,
  limitPage,
  plainPage,
  resumePage,
  type Waiting,
  waitingPage,
} from "#proxy/pages/door-pages.ts";
import { type Page, sendPage } from "#proxy/pages/layout.ts";
import { ambiguousPage, notFoundPage, singleUserPage } from "#proxy/pages/plain-pages.ts";
import type { PagesAhead } from "#proxy/site/pages-ahead.ts";
import { type DoorTarget, parseDoor, safeNext } from "#proxy/wire/request-target.ts";
import type { Answer } from "#requests/answer.ts";
import type { WorkspaceRequests } from "#requests/workspace-requests.ts";
import type { Changes } from "./changes.ts";
import type { CookieFinding } from "./cookies.ts";
import { sha256 } from "./gate.ts";
import type { GuestDoor } from "./guest-door.ts";
import type { Handover } from "./handover.ts";
import { isWorkspaceId, type Origins } from "./origins.ts";
import { canWake, isNavigation, startedByPerson, startsNow, visitState, WAIT } from "./visit.ts";

export interface DoorDeps {
  readonly origins: Origins;
  readonly clock: Clock;
  readonly sessions: Pick<SessionStore, "find">;
  readonly views: Pick<Views, "get" | "idOfAddress">;
  readonly requests: WorkspaceRequests;
  readonly handover: Handover;
  /** The dashboard's session secret among the cookies, found the way the dashboard finds it. */
  readonly dashboardToken: (cookieHeader: string | undefined) => CookieFinding;
  /** Where somebody goes who is not signed in or must change the password; the way back is added as `next`. */
  readonly loginPath: string;
  readonly metrics: Pick<ProxyMetrics, "wakes">;
  readonly tracer?: Tracer | undefined;
  readonly changes: Changes;
  readonly ahead: PagesAhead;
  readonly guests: GuestDoor;
  /** The row changed by what was done here. */
  readonly onChanged: (workspaceId: string) => void;
}

/** One visit: who came, to which workspace, and what it looks like now. */
export interface Visit {
  readonly target: DoorTarget;
  readonly session: SessionRecord;
  readonly view: WorkspaceView;
}

/** What each address at the door answers to. */
const METHODS: Readonly<Record<string, string>> = {
  "": "GET, HEAD",
  "/": "GET, HEAD",
  "/.codehub/wait": "GET, HEAD",
  "/.codehub/status": "GET, HEAD",
  "/.codehub/wake": "POST",
  "/.codehub/make-room": "POST",
  "/.codehub/recover": "POST",
  "/.codehub/skip": "POST",
};

/** As often a page that waits shows how far it is. */
const STATUS_HOLD_MS = 600;

type NoVisit = "ambiguous" | "no-session" | "password-due" | NotTheirs;

/** Not this person's; the row where there is one. */
type NotTheirs = { readonly notTheirs: Workspace | null; readonly session: SessionRecord };

/** `/w/{id}/` on the dashboard's origin: who may come in, is the workspace awake, and where to go. Never its bytes. */
export class Door {
  readonly #deps: DoorDeps;

  constructor(deps: DoorDeps) {
    this.#deps = deps;
  }

  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const target = parseDoor(req.url ?? "");
    if (target === null) return sendPage(res, notFoundPage(""));
    const visit = await this.authorize(req, res, target);
    if (visit === null) return;
    if (refusedMethod(req, res, METHODS[target.rest])) return;
    const route = `${req.method === "HEAD" ? "GET" : req.method} ${target.rest}`;
    switch (route) {
      case "GET ":
        return redirect(res, (req.url ?? "").replace(/^[^?]*/, doorPath(target.name)));
      case "GET /":
        return this.show(req, res, visit);
      case "GET /.codehub/wait":
        return this.#wait(res, visit);
      case "GET /.codehub/status":
        return this.#status(req, res, visit);
      case "POST /.codehub/wake":
      case "POST /.codehub/make-room":
      case "POST /.codehub/recover":
      case "POST /.codehub/skip":
        return this.#act(req, res, visit);
      default:
        return sendPage(res, notFoundPage(""));
    }
  }

  /** Null when an answer was sent: not signed in, a new password is due, or not this person's workspace. */
  async authorize(req: IncomingMessage, res: ServerResponse, target: DoorTarget): Promise<Visit | null> {
    const found = await this.find(req, target);
    switch (found) {
      case "ambiguous":
        sendPage(res, ambiguousPage(""), { "Clear-Site-Data": '"cookies"' });
        return null;
      case "no-session":
        this.#toDashboard(req, res, target, 401, "Sign in first.");
        return null;
      case "password-due":
        this.#toDashboard(req, res, target, 403, "Change your password in the dashboard first.");
        return null;
    }
    if (!("notTheirs" in found)) return found;
    if (!(await this.#asGuest(req, res, target, found))) sendPage(res, notFoundPage(""));
    return null;
  }

  /** Another's port may be shared with whoever is signed in. */
  async #asGuest(
    req: IncomingMessage,
    res: ServerResponse,
    { name, rest, query }: DoorTarget,
    { notTheirs: row, session }: NotTheirs,
  ): Promise<boolean> {
    const port = portOf(query);
    if (row === null || port === null || rest !== "/" || !(req.method === "GET" || req.method === "HEAD")) return false;
    return await this.#deps.guests.show(res, { session, row, begunAt: name, query }, port);
  }

  /** Administrators are nobody special here: a workspace is opened by its owner only. */
  async find(req: IncomingMessage, target: DoorTarget): Promise<Visit | NoVisit> {
    const { dashboardToken, sessions, views } = this.#deps;
    const found = dashboardToken(req.headers.cookie);
    if (found.kind === "ambiguous") return "ambiguous";
    const session = found.kind === "token" ? await sessions.find(sha256(found.token)) : null;
    if (session === null) return "no-session";
    if (session.account.mustChangePassword) return "password-due";
    const id = await this.#idOf(target.name);
    const view = id === null ? null : await views.get(id);
    if (view === null || view.row.ownerId !== session.account.id) return { notTheirs: view?.row ?? null, session };
    return { target, session, view };
  }

  /** Only who is signed in gets to ask which addresses there are. In single-origin mode the path is where it is served. */
  async #idOf(name: string): Promise<string | null> {
    const { origins, views } = this.#deps;
    if (isWorkspaceId(name)) return name;
    return origins.singleOrigin ? null : await views.idOfAddress(name);
  }

  /** Lets the visitor in, wakes the workspace for a person, or says why neither. */
  async show(req: IncomingMessage, res: ServerResponse, visit: Visit): Promise<void> {
    const { row } = visit.view;
    if (canWake(row) && row.phase !== "ERROR" && startedByPerson(req.method, req.headers))
      return this.#wake(res, visit);
    await this.#show(res, visit, false);
  }

  async #show(res: ServerResponse, visit: Visit, afterWake: boolean): Promise<void> {
    const { target, view } = visit;
    const { row } = view;
    const status = doorStatus(row, view.progress, this.#deps.clock.nowMs());
    switch (status.state) {
      case "ready":
        if (!(await this.#issue(res, visit, target.query))) redirect(res, this.#deps.loginPath);
        return;
      case "waking":
        if (await this.#goAhead(res, visit)) return;
        return sendPage(res, waitingPage(row, status, this.#waiting(target, false)));
      case "asleep":
        // A wake that was accepted but is not to be seen yet: the page finds out by asking.
        if (afterWake) return sendPage(res, waitingPage(row, status, this.#waiting(target, false)));
        return sendPage(res, resumePage(row, status));
      case "error":
        return sendPage(res, errorPage(row, this.#deps.clock.nowMs()));
      case "resetting":
      case "gone":
        return sendPage(res, plainPage(row, status));
    }
  }

  /**
   * While the container starts, the browser can already load the page that this IDE had last: the workspace's own host
   * serves it. One that has none sends the visitor back here to wait.
   */
  async #goAhead(res: ServerResponse, visit: Visit): Promise<boolean> {
    const page = this.#pageAhead(visit);
    if (page === null) return false;
    const query = new URLSearchParams(visit.target.query);
    query.set("next", page.target);
    return await this.#issue(res, visit, query);
  }

  #pageAhead({ target: { query }, view: { row } }: Visit): { readonly target: string } | null {
    const { ahead, clock, origins } = this.#deps;
    if (origins.singleOrigin || query.has(WAIT) || portOf(query) !== null) return null;
    return startsNow(row, clock.nowMs()) ? ahead.find(row, safeNext(query.get("next"))) : null;
  }

  async #wake(res: ServerResponse, visit: Visit): Promise<void> {
    const { requests, views, metrics, onChanged, clock } = this.#deps;
    const { row } = visit.view;
    const from = clock.nowMs();
    const answer = await requests.wake(row, row.ownerId);
    metrics.wakes.inc({ outcome: outcomeLabel(answer) });
    onChanged(row.id);
    const refused = this.#refusalPage(row, answer);
    if (refused !== null) return sendPage(res, refused);
    const view = await views.get(row.id);
    if (view === null) return sendPage(res, notFoundPage(""));
    this.#traceVisit(row, view.row.desiredVersion, from);
    await this.#show(res, { ...visit, view }, answer.accepted);
  }

  /** A visit that asked for something begins a journey, as a request of the API does. */
  #traceVisit({ id, desiredVersion }: Workspace, version: number, from: number): void {
    const { tracer, clock } = this.#deps;
    if (version === desiredVersion) return;
    const journey = { workspaceId: id, version };
    tracer?.record({
      journey,
      id: REQUEST,
      parent: null,
      name: "visit",
      from,
      to: clock.nowMs(),
      fields: {},
      failure: null,
    });
  }

  /** Shows and never goes on by itself: a form that is redirected to another origin is stopped by the page's own policy. */
  #wait(res: ServerResponse, { target, view }: Visit): void {
    const { row, progress } = view;
    const status = doorStatus(row, progress, this.#deps.clock.nowMs());
    const room = target.query.get("room") === "1";
    if (status.state === "error") return sendPage(res, errorPage(row, this.#deps.clock.nowMs()));
    if (status.state === "gone" || status.state === "resetting") return sendPage(res, plainPage(row, status));
    if (status.state === "asleep" && !room) return sendPage(res, resumePage(row, status));
    sendPage(res, waitingPage(row, status, this.#waiting(target, room)));
  }

  async #status(req: IncomingMessage, res: ServerResponse, visit: Visit): Promise<void> {
    const { target, view: known } = visit;
    if (!this.#fromDashboard(req, false)) return sendText(res, 403, "Another site asked.");
    const { changes, views } = this.#deps;
    // Nothing new yet: the answer waits for news of the row. How far a restore is comes without any.
    if (target.query.get("after") === String(known.row.rowVersion)) await changes.next(known.row.id, STATUS_HOLD_MS);
    const view = target.query.has("after") ? await views.get(known.row.id) : known;
    if (view === null) return sendText(res, 404, "There is no such workspace.");
    const status = doorStatus(view.row, view.progress, this.#deps.clock.nowMs());
    const waitsForRoom = target.query.get("room") === "1" && status.state === "asleep";
    const slotFree = waitsForRoom && (await this.#deps.requests.slotFree(view.row));
    const ahead = this.#pageAhead({ ...visit, view }) !== null;
    sendJson(res, 200, { ...status, slot_free: slotFree, ahead, version: view.row.rowVersion });
  }

  async #act(req: IncomingMessage, res: ServerResponse, visit: Visit): Promise<void> {
    req.resume();
    if (!this.#fromDashboard(req, true)) return sendText(res, 403, "Another site asked.");
    const { requests, onChanged } = this.#deps;
    const { row } = visit.view;
    const wait = doorPath(row.id, "/.codehub/wait");
    if (visit.target.rest === "/.codehub/make-room") {
      await requests.makeRoom(row, row.ownerId);
      return redirect(res, `${wait}?room=1`);
    }
    if (visit.target.rest === "/.codehub/recover") await requests.recover(row, { kind: "recover" }, null, row.ownerId);
    if (visit.target.rest === "/.codehub/skip") await requests.skipSetup(row, row.ownerId);
    const inError = visitState(row) === "error";
    const refused = inError ? null : this.#refusalPage(row, await requests.wake(row, row.ownerId));
    onChanged(row.id);
    if (refused === null) return redirect(res, wait);
    sendPage(res, refused);
  }

  /** For refusals that a person has to know; the others are seen in what the workspace looks like now. */
  #refusalPage(row: Workspace, answer: Answer): Page | null {
    if (answer.accepted) return null;
    if (answer.refusal === "SINGLE_USER") return singleUserPage();
    if (answer.refusal !== "RUNNING_LIMIT_EXCEEDED") return null;
    const { scope, running } = answer.reached;
    return limitPage(row, scope, running, this.#deps.clock.nowMs());
  }

  /** The dashboard asks for what is missing, a sign-in or a new password, and leads back here. */
  #toDashboard(req: IncomingMessage, res: ServerResponse, target: DoorTarget, status: number, text: string): void {
    if (!isNavigation(req.method, req.headers)) return sendText(res, status, text);
    redirect(res, `${this.#deps.loginPath}?${new URLSearchParams({ next: this.#way(target) })}`);
  }

  /** What a browser says about who caused a request, which no page can forge. */
  #fromDashboard({ headers }: IncomingMessage, unsafe: boolean): boolean {
    const { origin } = headers;
    const site = headers["sec-fetch-site"];
    if (origin === undefined ? unsafe : origin !== this.#deps.origins.dashboard) return false;
    return site === undefined || site === "same-origin" || (site === "none" && !unsafe);
  }

  #issue(res: ServerResponse, { session, target, view }: Visit, query: URLSearchParams): Promise<boolean> {
    const issue = { session, row: view.row, begunAt: target.name, query };
    return this.#deps.handover.issue(res, issue, portOf(target.query));
  }

  /** Whoever was sent back here to wait goes on waiting until it runs. */
  #waiting(target: DoorTarget, room: boolean): Waiting {
    const query = new URLSearchParams();
    if (room) query.set("room", "1");
    if (target.query.has(WAIT)) query.set(WAIT, "1");
    return { open: this.#way(target), query: query.size === 0 ? "" : `?${query}`, room };
  }

  /** This door again, with the way the visitor wanted to go. */
  #way({ name, query }: DoorTarget): string {
    const kept = new URLSearchParams();
    const port = portOf(query);
    if (port !== null) kept.set("port", String(port));
    const next = safeNext(query.get("next"));
    if (next !== "/") kept.set("next", next);
    return `${doorPath(name)}${kept.size === 0 ? "" : `?${kept}`}`;
  }
}

function outcomeLabel(answer: Answer): string {
  if (answer.accepted) return "accepted";
  return answer.refusal === "SINGLE_USER" ? "single_user" : answer.refusal;
}

function portOf(query: URLSearchParams): number | null {
  const text = query.get("port") ?? "";
  const port = /^[1-9][0-9]{0,4}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : null;
}
