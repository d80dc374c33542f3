import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { WorkspaceSession } from "#ports/accounts.ts";
import { refuseUpgrade, sendText } from "#proxy/pages/answers.ts";
import { doorPath } from "#proxy/pages/door-pages.ts";
import type { Carrier, Passage } from "#proxy/site/carrier.ts";
import { isCanonicalPath, parseDoor, pathOf } from "#proxy/wire/request-target.ts";
import type { Door, Visit } from "./door.ts";
import type { Origins } from "./origins.ts";
import { foreign, isNavigation, routableEndpoint } from "./visit.ts";

/**
 * Workspaces below a path of the dashboard's own origin, for places where no second name can be had. It has to be asked
 * for by name, because nothing makes it safe: scripts of a workspace run with the rights of the dashboard's pages.
 * What can be kept apart is: cookies and redirects stay below the path, and service workers cannot reach above it.
 */
export class SingleOrigin {
  readonly #origins: Origins;
  readonly #door: Door;
  readonly #carrier: Carrier;

  constructor(origins: Origins, door: Door, carrier: Carrier) {
    this.#origins = origins;
    this.#door = door;
    this.#carrier = carrier;
  }

  async request(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const target = parseDoor(req.url ?? "");
    if (target === null || target.rest === "" || target.rest.startsWith("/.codehub/"))
      return this.#door.handle(req, res);
    if (!isCanonicalPath(pathOf(req.url ?? ""))) return sendText(res, 400, "The request's path is not valid.");
    const why = foreign(req.method, req.headers, this.#origins.dashboard);
    if (why !== null) return sendText(res, 403, `Refused: ${why}.`);
    const visit = await this.#door.authorize(req, res, target);
    if (visit === null) return;
    const passage = this.#passage(req, visit);
    if (passage !== null) return this.#carrier.request(req, res, passage);
    if (isNavigation(req.method, req.headers)) return this.#door.show(req, res, visit);
    sendText(res, 503, "The workspace is not running.", { "Retry-After": "10" });
  }

  async upgrade(req: IncomingMessage, socket: Duplex, early: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const target = parseDoor(req.url ?? "");
    if (target === null || !isCanonicalPath(pathOf(req.url ?? "")))
      return refuseUpgrade(socket, 400, "The request is not valid.");
    const why = foreign(req.method, req.headers, this.#origins.dashboard);
    if (why !== null) return refuseUpgrade(socket, 403, `Refused: ${why}.`);
    const visit = await this.#door.find(req, target).catch(() => "unavailable" as const);
    if (visit === "unavailable") return refuseUpgrade(socket, 503, "Try again shortly.", 5);
    if (visit === "ambiguous") return refuseUpgrade(socket, 400, "More than one session came.");
    if (visit === "no-session") return refuseUpgrade(socket, 401, "Sign in first.");
    if (visit === "password-due") return refuseUpgrade(socket, 403, "Change your password in the dashboard first.");
    if ("notTheirs" in visit) return refuseUpgrade(socket, 404, "There is no such workspace.");
    const passage = this.#passage(req, visit);
    if (passage === null) return refuseUpgrade(socket, 503, "The workspace is not running.", 10);
    await this.#carrier.upgrade(req, socket, early, passage);
  }

  #passage(req: IncomingMessage, { view, session }: Visit): Passage | null {
    const { row } = view;
    const endpoint = routableEndpoint(row);
    if (endpoint === null) return null;
    const prefix = doorPath(row.id, "");
    const own: WorkspaceSession = {
      sessionId: session.sessionId,
      userId: session.account.id,
      workspaceId: row.id,
      port: null,
      expiresAt: session.expiresAt,
    };
    const { host } = new URL(this.#origins.dashboard);
    return {
      session: own,
      endpoint,
      host: this.#origins.workspace(row, null),
      target: (req.url ?? "").slice(prefix.length),
      facts: { host, proto: this.#origins.dashboard.startsWith("https:") ? "https" : "http", prefix },
      rules: { redirects: null, prefix, wideWorkers: false },
      change: null,
    };
  }
}
