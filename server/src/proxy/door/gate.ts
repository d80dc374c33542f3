import { createHash } from "node:crypto";
import type { Workspace } from "#core/rows/workspace.ts";
import type { HandoverStore, SessionStore, WorkspaceSession } from "#ports/accounts.ts";
import type { Clock } from "#ports/clock.ts";
import type { WorkspaceReader } from "#ports/store.ts";
import { Recent } from "./recent.ts";

/** How long an answer is believed without asking again. News of a change makes it shorter. */
const FRESH_MS = 5_000;
/** While the database does not answer, what was true a moment ago still is: nobody could have changed it there either. */
const STALE_MS = 30_000;

export const sha256 = (secret: string): Uint8Array => createHash("sha256").update(secret).digest();

export interface GateDeps {
  readonly handovers: Pick<HandoverStore, "findWorkspaceSession">;
  readonly sessions: Pick<SessionStore, "alive">;
  readonly workspaces: WorkspaceReader;
  readonly clock: Clock;
}

/**
 * Says who may come in. Answers come at once while they are fresh, because every request asks; a promise is returned
 * only when the database has to be asked.
 */
export class Gate {
  readonly #deps: GateDeps;
  readonly #sessions: Recent<string, WorkspaceSession>;
  readonly #rows: Recent<string, Workspace>;

  constructor(deps: GateDeps) {
    this.#deps = deps;
    const times = { clock: deps.clock, freshMs: FRESH_MS, staleMs: STALE_MS };
    this.#sessions = new Recent(times, (token) => deps.handovers.findWorkspaceSession(sha256(token)));
    this.#rows = new Recent(times, (id) => deps.workspaces.read(id));
  }

  /** The session behind a cookie, if it is one for exactly this workspace and port. */
  session(
    token: string,
    workspaceId: string,
    port: number | null,
  ): WorkspaceSession | null | Promise<WorkspaceSession | null> {
    const fits = (session: WorkspaceSession | null): WorkspaceSession | null =>
      session !== null &&
      session.workspaceId === workspaceId &&
      session.port === port &&
      session.expiresAt > this.#deps.clock.nowMs()
        ? session
        : null;
    const found = this.#sessions.get(token);
    return found instanceof Promise ? found.then(fits) : fits(found);
  }

  row(workspaceId: string): Workspace | null | Promise<Workspace | null> {
    return this.#rows.get(workspaceId);
  }

  /** Something happened to this workspace: the next request asks again. */
  forgetRow(workspaceId: string): void {
    this.#rows.forget(workspaceId);
  }

  forgetSessions(): void {
    this.#sessions.clear();
  }

  forgetSession(token: string): void {
    this.#sessions.forget(token);
  }

  /** For streams that stay open: asks the database in two questions for all of them, whatever is remembered. */
  async recheck(sessionIds: readonly string[], workspaceIds: readonly string[]): Promise<Recheck> {
    const [alive, rows] = await Promise.all([
      this.#deps.sessions.alive(sessionIds),
      this.#deps.workspaces.readMany(workspaceIds),
    ]);
    return { alive, rows: new Map(rows.map((row) => [row.id, row])) };
  }
}

export interface Recheck {
  readonly alive: ReadonlySet<string>;
  readonly rows: ReadonlyMap<string, Workspace>;
}
