import type { IncomingMessage, ServerResponse } from "node:http";
import type { TtlDefaults } from "#core/requests/idle.ts";
import { awakeGainMs, awakeLeftMs, sleepAhead } from "#core/requests/keep-awake.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import { nearlyFull } from "#core/rules/disk.ts";
import type { Clock } from "#ports/clock.ts";
import { findSession } from "#proxy/door/cookies.ts";
import type { Gate } from "#proxy/door/gate.ts";
import type { Origins, WorkspaceHost } from "#proxy/door/origins.ts";
import { foreign, type VisitState } from "#proxy/door/visit.ts";
import { sendJson, sendText } from "#proxy/pages/answers.ts";
import { doorPath, doorStatus } from "#proxy/pages/door-pages.ts";
import { TAB_SCRIPT } from "#proxy/pages/scripts.ts";
import type { WorkspaceRequests } from "#requests/workspace-requests.ts";

export interface SleepPolicy {
  readonly ttl: TtlDefaults;
  /** How long a workspace's own page may keep it awake in a day. */
  readonly keepAwakeMaxMs: number;
}

export interface IdeTabDeps {
  readonly origins: Origins;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly requests: Pick<WorkspaceRequests, "keepAwake">;
  readonly sleep: SleepPolicy;
}

/**
 * What the tab of an IDE is told of its workspace, and all that it can ask for. Whatever our script in it can do, the
 * workspace's own programs can do as well: read this much, and ask to be kept awake within what the operator allows.
 */
export class IdeTab {
  readonly #deps: IdeTabDeps;

  constructor(deps: IdeTabDeps) {
    this.#deps = deps;
  }

  script(res: ServerResponse): void {
    res.writeHead(200, {
      "Content-Type": "text/javascript; charset=utf-8",
      "Content-Length": Buffer.byteLength(TAB_SCRIPT),
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
    });
    res.end(TAB_SCRIPT);
  }

  async state(req: IncomingMessage, res: ServerResponse, host: WorkspaceHost): Promise<void> {
    if (foreign(req.method, req.headers, host.origin) !== null) return sendText(res, 403, "Refused.");
    this.#tell(res, host, await this.#owned(req, host));
  }

  async keepAwake(req: IncomingMessage, res: ServerResponse, host: WorkspaceHost): Promise<void> {
    const { gate, clock, requests, sleep } = this.#deps;
    req.resume();
    if (host.port !== null) return sendText(res, 404, "There is nothing here.");
    if (foreign(req.method, req.headers, host.origin) !== null) return sendText(res, 403, "Refused.");
    const row = await this.#owned(req, host);
    if (row === null) return sendText(res, 401, "There is no session for this workspace.");
    // A page that asks in a loop is answered from memory.
    if (awakeGainMs(row, sleep.keepAwakeMaxMs, clock.nowMs()) > 0) {
      await requests.keepAwake(row, row.ownerId);
      gate.forgetRow(row.id);
    }
    this.#tell(res, host, await this.#owned(req, host));
  }

  /** The row behind a request, if it is its owner's. */
  async #owned(req: IncomingMessage, host: WorkspaceHost): Promise<Workspace | null> {
    const { gate, origins } = this.#deps;
    const found = findSession(req.headers.cookie, origins.secure);
    const entry = found.kind === "token" ? await gate.entry(found.token, host) : null;
    return entry !== null && entry.row.ownerId === entry.session.userId ? entry.row : null;
  }

  #tell(res: ServerResponse, host: WorkspaceHost, row: Workspace | null): void {
    const { dashboard } = this.#deps.origins;
    const words = this.#words(row);
    const pill = row !== null && host.port === null && words.state === "ready" ? this.#pill(row) : null;
    sendJson(res, 200, { ...words, href: dashboard + doorPath(host.name), pill });
  }

  /** In times from now: the browser's clock may be another. */
  #pill(row: Workspace) {
    const { clock, origins, sleep } = this.#deps;
    const now = clock.nowMs();
    const ahead = sleepAhead(row, sleep.ttl);
    return {
      name: row.name,
      page: `${origins.dashboard}/workspaces/${row.id}`,
      dashboard: `${origins.dashboard}/`,
      sleeps_in_ms: ahead === null ? null : Math.max(0, ahead.at - now),
      warn_ms: ahead?.warnMs ?? 0,
      awake_ms: Math.max(0, (row.keepAwakeUntil ?? 0) - now),
      awake_left_ms: awakeLeftMs(row, sleep.keepAwakeMaxMs, now),
      disk: fullDisk(row),
    };
  }

  #words(row: Workspace | null): {
    state: VisitState | "signed-out";
    heading: string;
    message: string;
    action: string;
  } {
    if (row === null) {
      // Whoever comes without a session is not told which of the two it is: the door asks who it is, and knows the way.
      const message =
        "You signed out, or the workspace has another address now. Text that was not saved stays on this page until you leave it.";
      return { state: "signed-out", heading: "You are signed out here", message, action: "Open it again" };
    }
    const { state, heading, message } = doorStatus(row, null, this.#deps.clock.nowMs());
    const unsaved = "Text that was not saved stays on this page until you leave it.";
    switch (state) {
      case "ready":
        return {
          state,
          heading: `${row.name} is running again`,
          message: `Open it to go on. ${unsaved}`,
          action: "Open",
        };
      case "waking":
        return { state, heading, message: `It is being started. ${unsaved}`, action: "Show progress" };
      case "asleep":
        return { state, heading, message: `${message} ${unsaved}`, action: "Resume" };
      case "error":
      case "resetting":
      case "gone":
        return { state, heading, message, action: "Show details" };
    }
  }
}

/** As it was last written down, which is when it began to be nearly full and at each bound after that. */
function fullDisk(row: Workspace) {
  const disk = nearlyFull(row);
  return disk === null ? null : { used_bytes: disk.usedBytes, total_bytes: disk.totalBytes, shared: disk.shared };
}
