import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Workspace } from "#core/rows/workspace.ts";
import type { WorkspaceSession } from "#ports/accounts.ts";
import type { Clock } from "#ports/clock.ts";
import type { IdeFiles } from "#ports/ide-files.ts";
import type { Changes } from "#proxy/door/changes.ts";
import { findSession } from "#proxy/door/cookies.ts";
import type { Entry, Gate } from "#proxy/door/gate.ts";
import type { Handover } from "#proxy/door/handover.ts";
import type { Origins, WorkspaceHost } from "#proxy/door/origins.ts";
import { foreign, isNavigation, routableEndpoint, startsNow, visitState, WAIT } from "#proxy/door/visit.ts";
import type { ProxyMetrics } from "#proxy/metrics.ts";
import { redirect, refuseConnection, refusedMethod, refuseUpgrade, sendText } from "#proxy/pages/answers.ts";
import { doorPath } from "#proxy/pages/door-pages.ts";
import { sendPage } from "#proxy/pages/layout.ts";
import { ambiguousPage, notFoundPage, notRunningPage, unavailablePage } from "#proxy/pages/plain-pages.ts";
import { isPlainTarget, pathOf, safeNext } from "#proxy/wire/request-target.ts";
import type { Carrier, Passage } from "./carrier.ts";
import { mayBeIdeFile, sendIdeFile } from "./ide-file.ts";
import type { IdeTab } from "./ide-tab.ts";
import { type PagesAhead, sendPageAhead } from "./pages-ahead.ts";
import type { SharedPorts } from "./shared-port.ts";

export interface SiteDeps {
  readonly origins: Origins;
  readonly gate: Gate;
  readonly handover: Handover;
  readonly carrier: Carrier;
  readonly tab: IdeTab;
  readonly metrics: ProxyMetrics;
  readonly clock: Clock;
  readonly changes: Changes;
  readonly ahead: PagesAhead;
  readonly files: IdeFiles | null;
  readonly shared: SharedPorts;
}

/** What our own addresses on a workspace's origin answer to. */
const METHODS: Readonly<Record<string, string>> = {
  "/.codehub/auth": "GET",
  "/.codehub/tab.js": "GET, HEAD",
  "/.codehub/state": "GET",
  "/.codehub/awake": "POST",
};

/** Why a request was not let in; each has its own answer for pages, for fetches and for upgrades. */
type Refused =
  | { readonly kind: "bad-target" }
  | { readonly kind: "ambiguous" }
  | { readonly kind: "foreign"; readonly why: string }
  | { readonly kind: "no-session" }
  | { readonly kind: "not-found"; readonly session: WorkspaceSession }
  | { readonly kind: "asleep"; readonly row: Workspace }
  /** A guest's. */
  | { readonly kind: "not-running" }
  | { readonly kind: "moved"; readonly row: Workspace };

type Verdict =
  | Refused
  | { readonly kind: "pass"; readonly passage: Passage; readonly row: Workspace }
  | { readonly kind: "guest"; readonly passage: Passage };

const NO_SESSION = "There is no session for this workspace. Open it from the dashboard.";

/** What an IDE asks for before its container answers waits for that, so long and so many at a time. */
const HOLD_MS = 15_000;
const MAX_HELD = 500;
/** News of a row can be lost. */
const LOOK_MS = 1_000;

type Asleep = Extract<Refused, { kind: "asleep" }>;

type Way = Pick<Passage, "facts" | "rules">;

/** A workspace's own origin: everything on it is the container's, except `/.codehub/`. */
export class WorkspaceSite {
  readonly #deps: SiteDeps;
  readonly #proto: "http" | "https";
  readonly #ways = new WeakMap<WorkspaceHost, Way>();
  #held = 0;

  constructor(deps: SiteDeps) {
    this.#deps = deps;
    this.#proto = deps.origins.secure ? "https" : "http";
  }

  request(req: IncomingMessage, res: ServerResponse, host: WorkspaceHost): void {
    const path = pathOf(req.url ?? "");
    if (path.startsWith("/.codehub/")) return this.#own(req, res, host, path);
    const verdict = this.#judge(req, host);
    if (verdict instanceof Promise) {
      verdict.then(
        (late) => this.#answer(req, res, host, late),
        () => sendPage(res, unavailablePage()),
      );
    } else this.#answer(req, res, host, verdict);
  }

  async upgrade(req: IncomingMessage, socket: Duplex, early: Buffer, host: WorkspaceHost): Promise<void> {
    socket.on("error", () => socket.destroy());
    const path = pathOf(req.url ?? "");
    if (path.startsWith("/.codehub/")) return refuseUpgrade(socket, 404, "There is nothing here.");
    let verdict: Verdict;
    try {
      verdict = await this.#judge(req, host);
      if (verdict.kind === "asleep") verdict = await this.#whenAwake(req, host, verdict);
    } catch {
      return refuseUpgrade(socket, 503, "Try again shortly.", 5);
    }
    if (socket.destroyed) return;
    if (verdict.kind === "pass" || verdict.kind === "guest")
      return this.#deps.carrier.upgrade(req, socket, early, verdict.passage);
    this.#deps.metrics.refusals.inc({ reason: verdict.kind });
    switch (verdict.kind) {
      case "bad-target":
      case "ambiguous":
        return refuseUpgrade(socket, 400, "The request is not valid.");
      case "foreign":
        return refuseUpgrade(socket, 403, `Refused: ${verdict.why}.`);
      case "no-session":
      case "moved":
        return refuseUpgrade(socket, 401, "There is no session for this workspace.");
      case "not-found":
        return refuseUpgrade(socket, 404, "There is no such workspace.");
      case "asleep":
      case "not-running":
        return refuseUpgrade(socket, 503, "The workspace is not running.", 10);
    }
  }

  #judge(req: IncomingMessage, host: WorkspaceHost): Verdict | Promise<Verdict> {
    const verdict = this.#judgeOwner(req, host);
    if (!this.#deps.shared.concerns(host)) return verdict;
    if (verdict instanceof Promise) return verdict.then((late) => this.#orGuest(req, host, late));
    return this.#orGuest(req, host, verdict);
  }

  /** Whoever is not let in as the owner may be a guest; otherwise the answer is the one that there is without shares. */
  #orGuest(req: IncomingMessage, host: WorkspaceHost, verdict: Verdict): Verdict | Promise<Verdict> {
    const isStranger = verdict.kind === "no-session" || verdict.kind === "not-found" || verdict.kind === "foreign";
    if (!isStranger) return verdict;
    const session = verdict.kind === "not-found" ? verdict.session : null;
    return this.#deps.shared.judge(req, host, session).then((found) => {
      if (found.kind === "nothing") return verdict;
      if (found.kind === "not-running" || found.kind === "moved") return found;
      const { facts, rules } = this.#wayOf(host, found.row);
      const way = { facts, rules: { ...rules, unlisted: true as const } };
      const target = req.url ?? "/";
      return {
        kind: "guest",
        passage: { session: found.guest, endpoint: found.endpoint, host, target, ...way, change: null },
      };
    });
  }

  /** Answers at once while everything is fresh in memory; otherwise asks. */
  #judgeOwner(req: IncomingMessage, host: WorkspaceHost): Verdict | Promise<Verdict> {
    const target = req.url ?? "";
    if (!isPlainTarget(target)) return { kind: "bad-target" };
    const found = findSession(req.headers.cookie, this.#deps.origins.secure);
    if (found.kind === "ambiguous") return { kind: "ambiguous" };
    const why = foreign(req.method, req.headers, host.origin) ?? wideWorker(req, host);
    if (why !== null) return { kind: "foreign", why };
    if (found.kind === "none") return { kind: "no-session" };
    const entry = this.#deps.gate.entry(found.token, host, () => isNavigation(req.method, req.headers));
    if (entry instanceof Promise) return entry.then((late) => this.#admit(req, host, late));
    const verdict = this.#admit(req, host, entry);
    const again = verdict.kind === "asleep" && isNavigation(req.method, req.headers);
    return again ? this.#lookAgain(req, host, found.token, verdict.row) : verdict;
  }

  /** The row in memory may be older than the one the door has just read; believing it would send people in circles. */
  async #lookAgain(req: IncomingMessage, host: WorkspaceHost, token: string, { id }: Workspace): Promise<Verdict> {
    this.#deps.gate.forgetRow(id);
    return this.#admit(req, host, await this.#deps.gate.entry(token, host));
  }

  #admit(req: IncomingMessage, host: WorkspaceHost, entry: Entry | null): Verdict {
    if (entry === null) return { kind: "no-session" };
    const { session, row } = entry;
    if (row.deletedAt !== null || row.ownerId !== session.userId) return { kind: "not-found", session };
    const endpoint = routableEndpoint(row);
    if (endpoint === null) return { kind: "asleep", row };
    const { facts, rules } = this.#wayOf(host, row);
    const passage = { session, endpoint, host, target: req.url ?? "/", facts, rules, change: null };
    return { kind: "pass", passage, row };
  }

  /** The same for every request to one host, which is one workspace's for ever; hosts are recognised to the same object again. */
  #wayOf(host: WorkspaceHost, { id }: Workspace): Way {
    const known = this.#ways.get(host);
    if (known !== undefined) return known;
    const way: Way = {
      facts: { host: host.host, proto: this.#proto, prefix: "" },
      rules: {
        redirects: { origin: host.origin, isOffLimits: (other) => this.#isAnothers(other, [host.name, id]) },
        prefix: "",
        wideWorkers: host.port !== null,
      },
    };
    this.#ways.set(host, way);
    return way;
  }

  /** Whether a host is one of this server's that is not this workspace's own. */
  #isAnothers(host: string, own: readonly string[]): boolean {
    const match = this.#deps.origins.match(host);
    return match !== null && !(match.kind === "workspace" && own.includes(match.name));
  }

  #answer(req: IncomingMessage, res: ServerResponse, host: WorkspaceHost, verdict: Verdict): void {
    if (verdict.kind === "pass" || verdict.kind === "asleep") {
      const { files } = this.#deps;
      // The owner's, whether it runs or not, and no activity: nothing of it reaches the container.
      if (files !== null && mayBeIdeFile(req, host)) {
        return void sendIdeFile(req, res, files).then(
          (sent) => sent || this.#answerItself(req, res, host, verdict),
          () => this.#answerItself(req, res, host, verdict),
        );
      }
    }
    this.#answerItself(req, res, host, verdict);
  }

  #answerItself(req: IncomingMessage, res: ServerResponse, host: WorkspaceHost, verdict: Verdict): void {
    if (verdict.kind === "pass") {
      const { passage, row } = verdict;
      const change = isIdePage(req, host) ? this.#deps.ahead.watch(row, passage.target) : null;
      return this.#deps.carrier.request(req, res, change === null ? passage : { ...passage, change });
    }
    if (verdict.kind === "guest") return this.#deps.carrier.request(req, res, verdict.passage);
    const page = isNavigation(req.method, req.headers);
    const { metrics, origins, handover } = this.#deps;
    if (verdict.kind === "asleep")
      return page ? this.#ahead(req, res, host, verdict.row) : this.#answerWhenAwake(req, res, host, verdict);
    metrics.refusals.inc({ reason: verdict.kind });
    switch (verdict.kind) {
      case "bad-target":
        return refuseConnection(req, res, 400, "The request's target is not valid.");
      case "ambiguous":
        return sendPage(res, ambiguousPage(origins.dashboard), { "Clear-Site-Data": '"cookies"' });
      case "foreign":
        return sendText(res, 403, `Refused: ${verdict.why}.`);
      case "no-session":
        if (page) return handover.begin(req, res, host);
        return sendText(res, 401, NO_SESSION);
      case "moved":
        // As the door leads those on who are signed in. What is sent here is not for wherever it is now to take as it comes.
        if (req.method === "GET" || req.method === "HEAD")
          return redirect(res, origins.workspace(verdict.row, host.port).origin + (req.url ?? "/"));
        return sendText(res, 401, NO_SESSION);
      case "not-running":
        if (page) return sendPage(res, notRunningPage());
        return sendText(res, 503, "The workspace is not running.", { "Retry-After": "10" });
      case "not-found":
        return page
          ? sendPage(res, notFoundPage(origins.dashboard))
          : sendText(res, 404, "There is no such workspace.");
    }
  }

  /** The page that the IDE had last, while its container starts; otherwise the door shows how far it is. */
  #ahead(req: IncomingMessage, res: ServerResponse, host: WorkspaceHost, row: Workspace): void {
    const starts = startsNow(row, this.#deps.clock.nowMs());
    const target = req.url ?? "/";
    const page = starts && host.port === null ? this.#deps.ahead.find(row, target) : null;
    if (page === null) {
      this.#deps.metrics.refusals.inc({ reason: "asleep" });
      return redirect(res, this.#door(req, host, visitState(row) === "waking"));
    }
    if (page.target !== target) return redirect(res, host.origin + page.target);
    sendPageAhead(res, page, row.name);
  }

  #answerWhenAwake(req: IncomingMessage, res: ServerResponse, host: WorkspaceHost, asleep: Asleep): void {
    const refuse = () => {
      this.#deps.metrics.refusals.inc({ reason: "asleep" });
      sendText(res, 503, "The workspace is not running.", { "Retry-After": "10" });
    };
    if (!this.#mayWait(req, asleep.row)) return refuse();
    this.#whenAwake(req, host, asleep).then((late) => {
      if (res.destroyed) return;
      if (late.kind === "asleep") refuse();
      else this.#answerItself(req, res, host, late);
    }, refuse);
  }

  /** A body would have to be kept, and nobody has let it in. */
  #mayWait({ headers }: IncomingMessage, row: Workspace): boolean {
    const bodiless = headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0";
    return bodiless && this.#held < MAX_HELD && startsNow(row, this.#deps.clock.nowMs());
  }

  /** Judged anew with every news of the row, until it runs, or does not start, or the time is up. Everything is asked again. */
  async #whenAwake(req: IncomingMessage, host: WorkspaceHost, asleep: Asleep): Promise<Verdict> {
    const { changes, clock } = this.#deps;
    const deadline = clock.monotonicMs() + HOLD_MS;
    let verdict: Verdict = asleep;
    while (verdict.kind === "asleep" && this.#mayWait(req, verdict.row) && !req.socket.destroyed) {
      if (clock.monotonicMs() > deadline) return verdict;
      this.#held += 1;
      await changes.next(verdict.row.id, LOOK_MS);
      this.#held -= 1;
      // News has made the row be forgotten; without any, what is remembered of it is a few seconds old at most.
      verdict = await this.#judge(req, host);
    }
    return verdict;
  }

  /**
   * Sleeping, starting and broken workspaces are shown at the door, on the dashboard's origin. One that already starts is
   * to be waited for there: otherwise the door might send the visitor back here, for a page that it knows and we do not.
   */
  #door(req: IncomingMessage, host: WorkspaceHost, waits: boolean): string {
    const query = new URLSearchParams();
    if (waits) query.set(WAIT, "1");
    if (host.port !== null) query.set("port", String(host.port));
    const next = safeNext(req.url ?? null);
    if (next !== "/") query.set("next", next);
    return `${this.#deps.origins.dashboard}${doorPath(host.name)}${query.size === 0 ? "" : `?${query}`}`;
  }

  #own(req: IncomingMessage, res: ServerResponse, host: WorkspaceHost, path: string): void {
    const { handover, tab } = this.#deps;
    if (refusedMethod(req, res, METHODS[path])) return;
    switch (path) {
      case "/.codehub/auth":
        return void handover.redeem(req, res, host).catch(() => sendPage(res, unavailablePage()));
      case "/.codehub/tab.js":
        return tab.script(res);
      case "/.codehub/state":
        return void tab.state(req, res, host).catch(() => sendText(res, 503, "Try again shortly."));
      case "/.codehub/awake":
        return void tab.keepAwake(req, res, host).catch(() => sendText(res, 503, "Try again shortly."));
      default:
        return sendText(res, 404, "There is nothing here.");
    }
  }
}

/** Only the IDE's own page, and what is said of it; programs on other ports are nobody's tab but their own. */
const isIdePage = (req: IncomingMessage, host: WorkspaceHost): boolean =>
  host.port === null && isNavigation(req.method === "HEAD" ? "GET" : req.method, req.headers);

/**
 * A worker in the root folder sees every page load of its origin, and with it the codes that open the IDE. On a port it
 * would see those of that port only, whose every byte is its own anyway, and programs under development need theirs.
 */
const wideWorker = (req: IncomingMessage, host: WorkspaceHost): string | null =>
  host.port === null && req.headers["service-worker"] !== undefined && pathOf(req.url ?? "").lastIndexOf("/") === 0
    ? "a service worker of the IDE's origin must be in a folder below the root"
    : null;
