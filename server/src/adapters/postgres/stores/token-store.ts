import type pg from "pg";
import { inTransaction } from "#adapters/postgres/connection.ts";
import { lockAccount } from "#adapters/postgres/queries/accounts/lock-account.ts";
import { listAliveSessions } from "#adapters/postgres/queries/sessions/list-alive-sessions.ts";
import { deleteToken } from "#adapters/postgres/queries/tokens/delete-token.ts";
import { findToken } from "#adapters/postgres/queries/tokens/find-token.ts";
import { insertToken } from "#adapters/postgres/queries/tokens/insert-token.ts";
import { listAliveTokens } from "#adapters/postgres/queries/tokens/list-alive-tokens.ts";
import { listTokens } from "#adapters/postgres/queries/tokens/list-tokens.ts";
import { noteTokenUse } from "#adapters/postgres/queries/tokens/note-token-use.ts";
import { all, count, first } from "#adapters/postgres/statement.ts";
import type { Account, AuditActor, NewToken, TokenRecord, TokenStore } from "#ports/accounts.ts";
import { audit } from "./audit.ts";

export class PostgresTokenStore implements TokenStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  list(userId: string): Promise<readonly TokenRecord[]> {
    return all(this.#pool, listTokens, { userId });
  }

  create(
    { sessionId, ...token }: NewToken,
    limit: number,
    actor: AuditActor,
  ): Promise<TokenRecord | "too_many" | "session_ended"> {
    return inTransaction(this.#pool, async (tx) => {
      await first(tx, lockAccount, { id: token.userId });
      // A change of the password holds the same lock while it ends sessions and tokens.
      if ((await first(tx, listAliveSessions, { ids: [sessionId] })) === null) {
        return "session_ended";
      }
      const made = await first(tx, insertToken, { ...token, limit });
      if (made === null) {
        return "too_many";
      }
      await audit(tx, actor, "token_created", { token_id: made.id, name: made.name });
      return made;
    });
  }

  remove(userId: string, id: string, actor: AuditActor): Promise<boolean> {
    return inTransaction(this.#pool, async (tx) => {
      const gone = await first(tx, deleteToken, { userId, id });
      if (gone !== null) {
        await audit(tx, actor, "token_revoked", { token_id: id, user_id: userId, name: gone.name });
      }
      return gone !== null;
    });
  }

  async find(tokenHash: Uint8Array): Promise<{ readonly tokenId: string; readonly account: Account } | null> {
    const row = await first(this.#pool, findToken, { tokenHash });
    if (row === null) {
      return null;
    }
    const { tokenId, stale, ...account } = row;
    if (stale) {
      await count(this.#pool, noteTokenUse, { id: tokenId });
    }
    return { tokenId, account };
  }

  async alive(tokenIds: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await all(this.#pool, listAliveTokens, { ids: tokenIds })).map((row) => row.id));
  }
}
