import type pg from "pg";
import { inTransaction } from "#adapters/postgres/connection.ts";
import { lockAccount } from "#adapters/postgres/queries/accounts/lock-account.ts";
import { noteLogin } from "#adapters/postgres/queries/accounts/note-login.ts";
import { deleteSession } from "#adapters/postgres/queries/sessions/delete-session.ts";
import { deleteSessionByHash } from "#adapters/postgres/queries/sessions/delete-session-by-hash.ts";
import { deleteSessionsOfUser } from "#adapters/postgres/queries/sessions/delete-sessions-of-user.ts";
import { findSession } from "#adapters/postgres/queries/sessions/find-session.ts";
import { insertSession } from "#adapters/postgres/queries/sessions/insert-session.ts";
import { listAliveSessions } from "#adapters/postgres/queries/sessions/list-alive-sessions.ts";
import { listSessions } from "#adapters/postgres/queries/sessions/list-sessions.ts";
import { sweepHandoverCodes } from "#adapters/postgres/queries/sessions/sweep-handover-codes.ts";
import { sweepSessions } from "#adapters/postgres/queries/sessions/sweep-sessions.ts";
import { all, count, first, one } from "#adapters/postgres/statement.ts";
import type { AuditActor, ListedSession, NewSession, SessionRecord, SessionStore } from "#ports/accounts.ts";
import { audit } from "./audit.ts";

export class PostgresSessionStore implements SessionStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  open({ passwordHash, ...session }: NewSession, replaces: Uint8Array | null): Promise<SessionRecord | null> {
    return inTransaction(this.#pool, async (tx) => {
      const { userId, address } = session;
      const account = await first(tx, noteLogin, { id: userId, passwordHash });
      if (account === null) {
        return null;
      }
      if (replaces !== null) {
        await count(tx, deleteSessionByHash, { tokenHash: replaces });
      }
      const opened = await one(tx, insertSession, session);
      await audit(tx, { kind: "user", userId, address }, "login", { username: account.username });
      return { sessionId: opened.id, account, expiresAt: opened.expires_at };
    });
  }

  async find(tokenHash: Uint8Array): Promise<SessionRecord | null> {
    const row = await first(this.#pool, findSession, { tokenHash });
    if (row === null) {
      return null;
    }
    const { sessionId, expiresAt, ...account } = row;
    return { sessionId, account, expiresAt };
  }

  async alive(sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await all(this.#pool, listAliveSessions, { ids: sessionIds })).map((row) => row.id));
  }

  list(userId: string): Promise<readonly ListedSession[]> {
    return all(this.#pool, listSessions, { userId });
  }

  async endOf(userId: string, sessionId: string, actor: AuditActor): Promise<boolean> {
    return inTransaction(this.#pool, async (tx) => {
      const account = await first(tx, lockAccount, { id: userId });
      const theirs = await all(tx, listSessions, { userId });
      if (account === null || !theirs.some(({ id }) => id === sessionId)) {
        return false;
      }
      await all(tx, deleteSession, { id: sessionId });
      await audit(tx, actor, "session_ended", { user_id: userId, username: account.username });
      return true;
    });
  }

  end(sessionId: string, actor: AuditActor): Promise<number> {
    return inTransaction(this.#pool, async (tx) => {
      const gone = await first(tx, deleteSession, { id: sessionId });
      if (gone === null) {
        return 0;
      }
      await audit(tx, actor, "logout", { user_id: gone.user_id });
      return gone.ended;
    });
  }

  endAll(userId: string, actor: AuditActor): Promise<number> {
    return inTransaction(this.#pool, async (tx) => {
      const ended = await count(tx, deleteSessionsOfUser, { userId });
      await audit(tx, actor, "logout_everywhere", { user_id: userId, sessions: ended });
      return ended;
    });
  }

  async sweep(): Promise<number> {
    await count(this.#pool, sweepHandoverCodes, {});
    return count(this.#pool, sweepSessions, {});
  }
}
