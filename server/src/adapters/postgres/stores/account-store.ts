import type pg from "pg";
import { inTransaction } from "#adapters/postgres/connection.ts";
import { countAccounts } from "#adapters/postgres/queries/accounts/count-accounts.ts";
import { countOtherAdmins } from "#adapters/postgres/queries/accounts/count-other-admins.ts";
import { deleteAccount } from "#adapters/postgres/queries/accounts/delete-account.ts";
import { insertAccount } from "#adapters/postgres/queries/accounts/insert-account.ts";
import { listAccounts } from "#adapters/postgres/queries/accounts/list-accounts.ts";
import { listDeletedOwners } from "#adapters/postgres/queries/accounts/list-deleted-owners.ts";
import { lockAccount } from "#adapters/postgres/queries/accounts/lock-account.ts";
import { lockDeleted } from "#adapters/postgres/queries/accounts/lock-deleted.ts";
import { readAccount } from "#adapters/postgres/queries/accounts/read-account.ts";
import { readAccountForLogin } from "#adapters/postgres/queries/accounts/read-account-for-login.ts";
import { readPasswordHash } from "#adapters/postgres/queries/accounts/read-password-hash.ts";
import { rehashPassword } from "#adapters/postgres/queries/accounts/rehash-password.ts";
import { takeAccountsLock } from "#adapters/postgres/queries/accounts/take-accounts-lock.ts";
import { updateAccount } from "#adapters/postgres/queries/accounts/update-account.ts";
import { updatePassword } from "#adapters/postgres/queries/accounts/update-password.ts";
import { deleteCredentialsOfUser } from "#adapters/postgres/queries/keys/delete-credentials-of-user.ts";
import { deleteSecretsOfUser } from "#adapters/postgres/queries/keys/delete-secrets-of-user.ts";
import { deleteUserSettings } from "#adapters/postgres/queries/keys/delete-user-settings.ts";
import { deleteVariablesOfGiven } from "#adapters/postgres/queries/keys/delete-variables-of-given.ts";
import { deleteSessionsOfUser } from "#adapters/postgres/queries/sessions/delete-sessions-of-user.ts";
import { deleteTokensOfUser } from "#adapters/postgres/queries/tokens/delete-tokens-of-user.ts";
import { giveWorkspace } from "#adapters/postgres/queries/workspaces/give-workspace.ts";
import { lockWorkspacesOf } from "#adapters/postgres/queries/workspaces/lock-workspaces-of.ts";
import { takeLimitsLock } from "#adapters/postgres/queries/workspaces/take-limits-lock.ts";
import { toWorkspace } from "#adapters/postgres/rows/workspace-row.ts";
import { all, count, first, one, type Queryable } from "#adapters/postgres/statement.ts";
import { isAtRest } from "#core/requests/give.ts";
import type {
  Account,
  AccountChange,
  AccountOverview,
  AccountStore,
  AuditActor,
  NewAccount,
  PasswordChange,
  Removal,
} from "#ports/accounts.ts";
import { audit } from "./audit.ts";
import { insertLines } from "./history.ts";

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

  update(id: string, change: AccountChange, actor: AuditActor): Promise<Account | "last_admin" | null> {
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
      const maxRunning = change.maxRunning === undefined ? before.maxRunning : change.maxRunning;
      const after = await one(tx, updateAccount, { id, role, disabled, maxRunning });
      if (disabled) {
        await count(tx, deleteSessionsOfUser, { userId: id });
        await count(tx, deleteTokensOfUser, { userId: id });
      }
      await auditChange(tx, before, after, actor);
      if (disabled) await deleteKeys(tx, after, actor);
      return after;
    });
  }

  remove(
    id: string,
    { confirmation, giveTo }: { readonly confirmation: string; readonly giveTo: string | null },
    actor: AuditActor,
  ): Promise<Removal> {
    return inTransaction(this.#pool, async (tx) => {
      await all(tx, takeAccountsLock, {});
      const account = await first(tx, lockAccount, { id });
      if (account === null) return { done: false, why: "not_found" };
      if (confirmation !== account.username) return { done: false, why: "mismatch" };
      if ((await one(tx, countOtherAdmins, { id })).count === 0) return { done: false, why: "last_admin" };
      const given = giveTo === null ? NOTHING_GIVEN : await give(tx, account, giveTo, actor);
      if (!given.done) return given;
      await count(tx, deleteSessionsOfUser, { userId: id });
      await count(tx, deleteTokensOfUser, { userId: id });
      await deleteKeys(tx, account, actor);
      await count(tx, deleteUserSettings, { userId: id });
      await count(tx, deleteAccount, { id });
      await audit(tx, actor, "user_deleted", { user_id: id, username: account.username, given: given.given });
      return given;
    });
  }

  giveLeft(id: string, to: string, actor: AuditActor): Promise<Removal> {
    return inTransaction(this.#pool, async (tx) => {
      await all(tx, takeAccountsLock, {});
      const left = await first(tx, lockDeleted, { id });
      return left === null ? { done: false, why: "not_found" } : await give(tx, { id, ...left }, to, actor);
    });
  }

  async deletedOwners(): Promise<readonly string[]> {
    return (await all(this.#pool, listDeletedOwners, {})).map(({ id }) => id);
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

const NOTHING_GIVEN = { done: true, given: 0 } as const;

/** All that somebody has, or nothing of it. Starts are counted under the same lock, so that none begins meanwhile. */
async function give(
  tx: Queryable,
  from: Pick<Account, "id" | "username">,
  to: string,
  actor: AuditActor,
): Promise<Removal> {
  const receiver = await first(tx, lockAccount, { id: to });
  if (receiver === null || receiver.disabledAt !== null || to === from.id) return { done: false, why: "no_receiver" };
  await all(tx, takeLimitsLock, {});
  const rows = (await all(tx, lockWorkspacesOf, { ownerId: from.id })).map(toWorkspace);
  const busy = rows.filter((row) => !isAtRest(row));
  if (busy.length > 0) return { done: false, why: "not_at_rest", names: busy.map(({ name }) => name) };
  for (const row of rows) {
    await count(tx, deleteVariablesOfGiven, { workspaceId: row.id });
    await count(tx, giveWorkspace, { id: row.id, ownerId: to });
    const details = { giver: from.username, receiver: receiver.username, receiver_id: to, ...addressOf(actor) };
    const line = { actor: actor.userId ?? "system", kind: "given", from: null, to: null, code: "given", details };
    await insertLines(tx, row, [line]);
  }
  return { done: true, given: rows.length };
}

const addressOf = ({ address }: AuditActor): { readonly address?: string } => (address === null ? {} : { address });

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
  if (before.maxRunning !== after.maxRunning) {
    await audit(tx, actor, "limit_changed", { ...details, limit: after.maxRunning });
  }
  if (before.disabledAt === null && after.disabledAt !== null) {
    await audit(tx, actor, "user_disabled", details);
  }
  if (before.disabledAt !== null && after.disabledAt === null) {
    await audit(tx, actor, "user_enabled", details);
  }
}
