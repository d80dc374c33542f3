import { createHash } from "node:crypto";
import type { PortShare } from "#core/requests/sharing.ts";
import { nameInHosts } from "#core/rows/address.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import type { HandoverStore, SessionStore, WorkspaceSession } from "#ports/accounts.ts";
import type { Clock } from "#ports/clock.ts";
import type { ShareReader } from "#ports/shares.ts";
import type { WorkspaceReader } from "#ports/store.ts";
import type { Views } from "#ports/views.ts";
import { isWorkspaceId, type WorkspaceHost } from "./origins.ts";
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
  readonly shares: ShareReader;
  readonly views: Pick<Views, "idOfAddress">;
  readonly clock: Clock;
}

export interface Entry {
  readonly session: WorkspaceSession;
  readonly row: Workspace;
}

const NEVER = () => false;

const entryAt = (host: WorkspaceHost, session: WorkspaceSession, row: Workspace | null): Entry | null =>
  row !== null && nameInHosts(row) === host.name ? { session, row } : null;

/**
 * Says who may come in. Answers come at once while they are fresh, because every request asks; a promise is returned
 * only when the database has to be asked.
 */
export class Gate {
  readonly #deps: GateDeps;
  readonly #sessions: Recent<string, WorkspaceSession>;
  readonly #rows: Recent<string, Workspace>;
  readonly #shares: Recent<string, readonly PortShare[]>;
  readonly #ids: Recent<string, string>;

  constructor(deps: GateDeps) {
    this.#deps = deps;
    const times = { clock: deps.clock, freshMs: FRESH_MS, staleMs: STALE_MS };
    this.#sessions = new Recent(times, (token) => deps.handovers.findWorkspaceSession(sha256(token)));
    this.#rows = new Recent(times, (id) => deps.workspaces.read(id));
    this.#shares = new Recent(times, (id) => deps.shares.open([id]));
    // An address is never given to another: what is remembered is only forgotten to make room.
    this.#ids = new Recent({ ...times, freshMs: Number.POSITIVE_INFINITY }, (name) => deps.views.idOfAddress(name));
  }

  /**
   * The session behind a cookie with the row it is for, if that row is served at exactly this host now. A session of another
   * workspace, of another port or from a former address of this one is none here. Who would be sent away because of a row in
   * memory can ask for it anew: the door reads the row itself, and the two would send people in circles.
   */
  entry(token: string, host: WorkspaceHost, anew: () => boolean = NEVER): Entry | null | Promise<Entry | null> {
    const session = this.#sessions.get(token);
    if (session instanceof Promise) return session.then((late) => this.#entryOf(late, host, anew));
    return this.#entryOf(session, host, anew);
  }

  #entryOf(
    session: WorkspaceSession | null,
    host: WorkspaceHost,
    anew: () => boolean,
  ): Entry | null | Promise<Entry | null> {
    if (session === null || session.port !== host.port || session.expiresAt <= this.#deps.clock.nowMs()) return null;
    const { workspaceId } = session;
    let row = this.row(workspaceId);
    if (!(row instanceof Promise)) {
      const entry = entryAt(host, session, row);
      if (entry !== null || !anew()) return entry;
      this.forgetRow(workspaceId);
      row = this.row(workspaceId);
    }
    return row instanceof Promise ? row.then((late) => entryAt(host, session, late)) : entryAt(host, session, row);
  }

  row(workspaceId: string): Workspace | null | Promise<Workspace | null> {
    return this.#rows.get(workspaceId);
  }

  /** The workspace that has this name in hosts, or once had it. */
  idAt({ name }: WorkspaceHost): string | null | Promise<string | null> {
    return isWorkspaceId(name) ? name : this.#ids.get(name);
  }

  /** The ports of this workspace that others than its owner may open. */
  shares(workspaceId: string): readonly PortShare[] | null | Promise<readonly PortShare[] | null> {
    return this.#shares.get(workspaceId);
  }

  /** Something happened to this workspace: the next request asks again. */
  forgetRow(workspaceId: string): void {
    this.#rows.forget(workspaceId);
    this.#shares.forget(workspaceId);
  }

  forgetSessions(): void {
    this.#sessions.clear();
    // Whose owner was disabled shares nothing.
    this.#shares.clear();
  }

  forgetSession(token: string): void {
    this.#sessions.forget(token);
  }

  /** For streams that stay open: asks the database in few questions for all of them, whatever is remembered. */
  async recheck(
    sessionIds: readonly string[],
    workspaceIds: readonly string[],
    withGuests: readonly string[],
  ): Promise<Recheck> {
    const [alive, rows, shares] = await Promise.all([
      this.#deps.sessions.alive(sessionIds),
      this.#deps.workspaces.readMany(workspaceIds),
      withGuests.length === 0 ? [] : this.#deps.shares.open(withGuests),
    ]);
    return { alive, rows: new Map(rows.map((row) => [row.id, row])), shares };
  }
}

export interface Recheck {
  readonly alive: ReadonlySet<string>;
  readonly rows: ReadonlyMap<string, Workspace>;
  readonly shares: readonly PortShare[];
}
