import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Workspace } from "#core/rows/workspace.ts";
import type { HandoverStore, SessionRecord } from "#ports/accounts.ts";
import { redirect, sendText } from "#proxy/pages/answers.ts";
import { doorPath } from "#proxy/pages/door-pages.ts";
import { sendPage } from "#proxy/pages/layout.ts";
import { handoverFailedPage } from "#proxy/pages/plain-pages.ts";
import { queryOf, safeNext } from "#proxy/wire/request-target.ts";
import { clearedLeftovers, clearedState, findState, sessionCookie, stateCookies } from "./cookies.ts";
import { sha256 } from "./gate.ts";
import type { Origins, WorkspaceHost } from "./origins.ts";

const CODE_MS = 30_000;
const SESSION_MS = 8 * 3_600_000;
const secret = (): string => randomBytes(32).toString("base64url");
const HASH = /^[A-Za-z0-9_-]{43}$/;

/** Somebody who may come in. */
export interface Issue {
  readonly session: SessionRecord;
  readonly row: Workspace;
  /** The name that the door was asked for by. */
  readonly begunAt: string;
  readonly query: URLSearchParams;
}

/**
 * Carries a dashboard session over to a workspace's own origin, which never sees the dashboard's cookie:
 *
 * 1. `begin`, on the workspace: a fresh secret state is set as a cookie of this browser; its hash goes to the door.
 * 2. `issue`, at the door: session and ownership are checked; a code is made for exactly this state, user, workspace,
 *    port and host, and sent to where the workspace is served now.
 * 3. `redeem`, on the workspace: code and state cookie together become a session cookie, once.
 *
 * So a browser takes only a session that it asked for itself: a code that somebody else sends it opens nothing. The other
 * way round the state does not help: a worker that sees codes go by could have asked the door with a state of its own.
 * That is why no worker of an IDE's host may cover this path, and why a code is used up by whatever page load shows it.
 */
export class Handover {
  readonly #origins: Origins;
  readonly #store: Pick<HandoverStore, "issue" | "redeem">;

  constructor(origins: Origins, store: Pick<HandoverStore, "issue" | "redeem">) {
    this.#origins = origins;
    this.#store = store;
  }

  begin(req: IncomingMessage, res: ServerResponse, host: WorkspaceHost): void {
    const { secure } = this.#origins;
    // Never one that the browser brings: it may be known to whoever planted it.
    const state = secret();
    const hash = Buffer.from(sha256(state)).toString("base64url");
    const query = new URLSearchParams({ state: hash });
    if (host.port !== null) query.set("port", String(host.port));
    const next = safeNext(req.url ?? null);
    if (next !== "/") query.set("next", next);
    redirect(res, `${this.#origins.dashboard}${doorPath(host.name)}?${query}`, [
      ...clearedLeftovers(req.headers.cookie, secure),
      ...stateCookies(hash, state, secure),
    ]);
  }

  /**
   * Sends the browser on with a code, or straight to the workspace, which begins, when it came without a state, or with one that
   * another address of the workspace has begun with: its cookie is not sent to this one.
   */
  async issue(res: ServerResponse, { session, row, begunAt, query }: Issue, port: number | null): Promise<boolean> {
    const host = this.#origins.workspace(row, port);
    const next = safeNext(query.get("next"));
    const state = begunAt === host.name ? query.get("state") : null;
    if (state === null || !HASH.test(state)) {
      redirect(res, host.origin + next);
      return true;
    }
    const code = secret();
    const issued = await this.#store.issue({
      codeHash: sha256(code),
      stateHash: Buffer.from(state, "base64url"),
      sessionId: session.sessionId,
      userId: session.account.id,
      workspaceId: row.id,
      port: host.port,
      host: host.host,
      lifetimeMs: CODE_MS,
    });
    if (!issued) return false;
    const target = new URLSearchParams({ code, state, ...(next === "/" ? {} : { next }) });
    redirect(res, `${host.origin}/.codehub/auth?${target}`);
    return true;
  }

  async redeem(req: IncomingMessage, res: ServerResponse, host: WorkspaceHost): Promise<void> {
    const mode = req.headers["sec-fetch-mode"];
    const fetched = mode !== undefined && mode !== "navigate";
    if (fetched || req.headers["service-worker"] !== undefined) {
      return sendText(res, 403, "Only a page load may do this.");
    }
    const { secure } = this.#origins;
    const query = queryOf(req.url ?? "/");
    const code = query.get("code") ?? "";
    const hash = query.get("state") ?? "";
    if (!HASH.test(code) || !HASH.test(hash)) return this.#fail(res, host);
    const state = findState(req.headers.cookie, hash, secure);
    const token = secret();
    const session = await this.#store.redeem(
      sha256(code),
      {
        // Without its state a code is tried with one that nobody has, which uses it up: it was in the wrong hands.
        stateHash: sha256(state.kind === "token" ? state.token : secret()),
        port: host.port,
        host: host.host,
      },
      { tokenHash: sha256(token), lifetimeMs: SESSION_MS },
    );
    if (session === null) return this.#fail(res, host);
    redirect(res, host.origin + safeNext(query.get("next")), [
      sessionCookie(token, SESSION_MS / 1000, req.headers.cookie, secure),
      ...clearedState(hash, secure),
    ]);
  }

  #fail(res: ServerResponse, host: WorkspaceHost): void {
    sendPage(res, handoverFailedPage(this.#origins.dashboard, host.name), { "Referrer-Policy": "no-referrer" });
  }
}
