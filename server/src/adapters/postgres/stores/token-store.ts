import type pg from "pg";
import { inTransaction } from "#adapters/postgres/connection.ts";
import { lockAccount } from "#adapters/postgres/queries/accounts/lock-account.ts";
import { deleteToken } from "#adapters/postgres/queries/tokens/delete-token.ts";
import { findToken } from "#adapters/postgres/queries/tokens/find-token.ts";
import { insertToken } from "#adapters/postgres/queries/tokens/insert-token.ts";
import { listAliveTokens } from "#adapters/postgres/queries/tokens/list-alive-tokens.ts";
import { listTokens } from "#adapters/postgres/queries/tokens/list-tokens.ts";
import { noteTokenUse } from "#adapters/postgres/queries/tokens/note-token-use.ts";
import { toAccount } from "#adapters/postgres/rows/account-row.ts";
import { all, count, first } from "#adapters/postgres/statement.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { Account, AuditActor, NewToken, TokenRecord, TokenStore } from "#ports/accounts.ts";
import { audit } from "./audit.ts";

export class PostgresTokenStore implements TokenStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async list(userId: string): Promise<readonly TokenRecord[]> {
    return (await all(this.#pool, listTokens, { userId })).map(toToken);
  }

  create(token: NewToken, limit: number, actor: AuditActor): Promise<TokenRecord | null> {
    return inTransaction(this.#pool, async (tx) => {
      const { id, userId, name, tokenHash, lifetimeMs } = token;
      await first(tx, lockAccount, { id: userId });
      const row = await first(tx, insertToken, { id, userId, name, tokenHash, lifetimeMs, limit });
      if (row === null) {
        return null;
      }
      await audit(tx, actor, "token_created", { token_id: id, name });
      return toToken(row);
    });
  }

  remove(userId: string, id: string, actor: AuditActor): Promise<boolean> {
    return inTransaction(this.#pool, async (tx) => {
      const gone = await first(tx, deleteToken, { userId, id });
      if (gone !== null) {
        await audit(tx, actor, "token_revoked", { token_id: id, name: gone.name });
      }
      return gone !== null;
    });
  }

  async find(tokenHash: Uint8Array): Promise<{ readonly tokenId: string; readonly account: Account } | null> {
    const row = await first(this.#pool, findToken, { tokenHash });
    if (row === null) {
      return null;
    }
    if (row.stale) {
      await count(this.#pool, noteTokenUse, { id: row.token_id });
    }
    return { tokenId: row.token_id, account: toAccount(row) };
  }

  async alive(tokenIds: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await all(this.#pool, listAliveTokens, { ids: tokenIds })).map((row) => row.id));
  }
}

function toToken(row: {
  id: string;
  name: string;
  created_at: Ms;
  last_used_at: Ms | null;
  expires_at: Ms | null;
}): TokenRecord {
  const { id, name, created_at: createdAt, last_used_at: lastUsedAt, expires_at: expiresAt } = row;
  return { id, name, createdAt, lastUsedAt, expiresAt };
}
