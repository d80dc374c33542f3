import type pg from "pg";
import { inTransaction } from "#adapters/postgres/connection.ts";
import { countAccounts } from "#adapters/postgres/queries/accounts/count-accounts.ts";
import { countOtherAdmins } from "#adapters/postgres/queries/accounts/count-other-admins.ts";
import { insertAccount } from "#adapters/postgres/queries/accounts/insert-account.ts";
import { listAccounts } from "#adapters/postgres/queries/accounts/list-accounts.ts";
import { lockAccount } from "#adapters/postgres/queries/accounts/lock-account.ts";
import { readAccount } from "#adapters/postgres/queries/accounts/read-account.ts";
import { readAccountForLogin } from "#adapters/postgres/queries/accounts/read-account-for-login.ts";
import { readPasswordHash } from "#adapters/postgres/queries/accounts/read-password-hash.ts";
import { rehashPassword } from "#adapters/postgres/queries/accounts/rehash-password.ts";
import { takeAccountsLock } from "#adapters/postgres/queries/accounts/take-accounts-lock.ts";
import { updateAccount } from "#adapters/postgres/queries/accounts/update-account.ts";
import { updatePassword } from "#adapters/postgres/queries/accounts/update-password.ts";
import { deleteCredentialsOfUser } from "#adapters/postgres/queries/keys/delete-credentials-of-user.ts";
import { deleteSecretsOfUser } from "#adapters/postgres/queries/keys/delete-secrets-of-user.ts";
import { deleteSessionsOfUser } from "#adapters/postgres/queries/sessions/delete-sessions-of-user.ts";
import { deleteTokensOfUser } from "#adapters/postgres/queries/tokens/delete-tokens-of-user.ts";
import { all, count, first, one, type Queryable } from "#adapters/postgres/statement.ts";
import type {
  Account,
  AccountOverview,
  AccountStore,
  AuditActor,
  NewAccount,
  PasswordChange,
  Role,
} from "#ports/accounts.ts";
import { audit } from "./audit.ts";

/** Accounts, on the pool that has the API's role. Every change writes its audit line in the same transaction. */
export class PostgresAccountStore implements AccountStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  list(): Promise<readonly AccountOverview[]> {
    return all(this.#pool, listAccounts, {});
  }

  find(id: string): Promise<Account | null> {
    return first(this.#pool, readAccount, { id });
  }

  async findForLogin(username: string): Promise<{ readonly account: Account; readonly passwordHash: string } | null> {
    const row = await first(this.#pool, readAccountForLogin, { username });
    if (row === null) {
      return null;
    }
    const { passwordHash, ...account } = row;
    return { account, passwordHash };
  }

  async passwordHashOf(id: string): Promise<string | null> {
    return (await first(this.#pool, readPasswordHash, { id }))?.password_hash ?? null;
  }

  async count(): Promise<number> {
    return (await one(this.#pool, countAccounts, {})).count;
  }

  create(account: NewAccount, actor: AuditActor): Promise<Account | null> {
    return inTransaction(this.#pool, async (tx) => {
      const made = await first(tx, insertAccount, account);
      if (made !== null) {
        const { id, username, role } = made;
        await audit(tx, actor, "user_created", { user_id: id, username, role });
      }
      return made;
    });
  }

  update(
    id: string,
    change: { readonly disabled?: boolean; readonly role?: Role },
    actor: AuditActor,
  ): Promise<Account | "last_admin" | null> {
    return inTransaction(this.#pool, async (tx) => {
      await all(tx, takeAccountsLock, {});
      const before = await first(tx, lockAccount, { id });
      if (before === null) {
        return null;
      }
      const role = change.role ?? before.role;
      const disabled = change.disabled ?? before.disabledAt !== null;
      const administers = role === "admin" && !disabled;
      if (!administers && (await one(tx, countOtherAdmins, { id })).count === 0) {
        return "last_admin";
      }
      const after = await one(tx, updateAccount, { id, role, disabled });
      if (disabled) {
        await count(tx, deleteSessionsOfUser, { userId: id });
        await count(tx, deleteTokensOfUser, { userId: id });
      }
      await auditChange(tx, before, after, actor);
      if (disabled) await deleteKeys(tx, after, actor);
      return after;
    });
  }

  setPassword(id: string, password: PasswordChange, actor: AuditActor): Promise<Account | null> {
    return inTransaction(this.#pool, async (tx) => {
      const { passwordHash, replaces, mustChangePassword } = password;
      const account = await first(tx, updatePassword, { id, passwordHash, replaces, mustChangePassword });
      if (account === null) {
        return null;
      }
      await count(tx, deleteSessionsOfUser, { userId: id });
      const tokens = password.endTokens ? await count(tx, deleteTokensOfUser, { userId: id }) : 0;
      const details = { user_id: id, username: account.username, tokens_ended: tokens };
      await audit(tx, actor, "password_changed", details);
      return account;
    });
  }

  endAccess(id: string, actor: AuditActor): Promise<boolean> {
    return inTransaction(this.#pool, async (tx) => {
      const account = await first(tx, lockAccount, { id });
      if (account === null) {
        return false;
      }
      const sessions = await count(tx, deleteSessionsOfUser, { userId: id });
      const tokens = await count(tx, deleteTokensOfUser, { userId: id });
      await audit(tx, actor, "access_ended", { user_id: id, username: account.username, sessions, tokens });
      return true;
    });
  }

  async rehash(id: string, outdated: string, passwordHash: string): Promise<boolean> {
    return (await count(this.#pool, rehashPassword, { id, outdated, passwordHash })) === 1;
  }
}

/** Keys of somebody who may not work here any more are of use only to others. */
async function deleteKeys(tx: Queryable, { id, username }: Account, actor: AuditActor): Promise<void> {
  const credentials = await count(tx, deleteCredentialsOfUser, { userId: id });
  const variables = await count(tx, deleteSecretsOfUser, { userId: id });
  if (credentials + variables > 0)
    await audit(tx, actor, "keys_deleted", { user_id: id, username, credentials, variables });
}

async function auditChange(tx: Queryable, before: Account, after: Account, actor: AuditActor): Promise<void> {
  const details = { user_id: after.id, username: after.username };
  if (before.role !== after.role) {
    await audit(tx, actor, "role_changed", { ...details, role: after.role });
  }
  if (before.disabledAt === null && after.disabledAt !== null) {
    await audit(tx, actor, "user_disabled", details);
  }
  if (before.disabledAt !== null && after.disabledAt === null) {
    await audit(tx, actor, "user_enabled", details);
  }
}
