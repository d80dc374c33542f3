import type { IncomingMessage, ServerResponse } from "node:http";
import type { Workspace } from "#core/rows/workspace.ts";
import type { Clock } from "#ports/clock.ts";
import { findSession } from "#proxy/door/cookies.ts";
import type { Gate } from "#proxy/door/gate.ts";
import type { Origins, WorkspaceHost } from "#proxy/door/origins.ts";
import { foreign, type VisitState } from "#proxy/door/visit.ts";
import { sendJson, sendText } from "#proxy/pages/answers.ts";
import { doorPath, doorStatus } from "#proxy/pages/door-pages.ts";
import { TAB_SCRIPT } from "#proxy/pages/scripts.ts";

export interface IdeTabDeps {
  readonly origins: Origins;
  readonly gate: Gate;
  readonly clock: Clock;
}

/** What the tab of an IDE is told when its workspace is no longer there. */
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
    const { gate, origins } = this.#deps;
    if (foreign(req.method, req.headers, host.origin) !== null) return sendText(res, 403, "Refused.");
    const found = findSession(req.headers.cookie, origins.secure);
    const session = found.kind === "token" ? await gate.session(found.token, host.workspaceId, host.port) : null;
    const row = session === null ? null : await gate.row(host.workspaceId);
    const owned = row !== null && row.ownerId === session?.userId ? row : null;
    sendJson(res, 200, { ...this.#words(owned), href: origins.dashboard + doorPath(host.workspaceId) });
  }

  #words(row: Workspace | null): {
    state: VisitState | "signed-out";
    heading: string;
    message: string;
    action: string;
  } {
    if (row === null) {
      const message = "Your session has ended. Text that was not saved stays on this page until you leave it.";
      return { state: "signed-out", heading: "You are signed out", message, action: "Sign in" };
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
