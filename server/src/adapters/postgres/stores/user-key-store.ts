import type pg from "pg";
import { inTransaction } from "#adapters/postgres/connection.ts";
import { lockAccount } from "#adapters/postgres/queries/accounts/lock-account.ts";
import { deleteCredential } from "#adapters/postgres/queries/keys/delete-credential.ts";
import { deleteCredentialFor } from "#adapters/postgres/queries/keys/delete-credential-for.ts";
import { deleteVariable } from "#adapters/postgres/queries/keys/delete-variable.ts";
import { deleteVariablesOfDeleted } from "#adapters/postgres/queries/keys/delete-variables-of-deleted.ts";
import { insertCredential } from "#adapters/postgres/queries/keys/insert-credential.ts";
import { insertVariable } from "#adapters/postgres/queries/keys/insert-variable.ts";
import { listCredentials } from "#adapters/postgres/queries/keys/list-credentials.ts";
import { listVariables } from "#adapters/postgres/queries/keys/list-variables.ts";
import { readSealingKey } from "#adapters/postgres/queries/keys/read-sealing-key.ts";
import { readUserSettings } from "#adapters/postgres/queries/keys/read-user-settings.ts";
import { saveUserSettings } from "#adapters/postgres/queries/keys/save-user-settings.ts";
import { all, count, first, one, type Queryable } from "#adapters/postgres/statement.ts";
import { MOST_CREDENTIALS, MOST_VARIABLES, VARIABLES_BYTES } from "#core/secrets/kept.ts";
import type { AuditActor } from "#ports/accounts.ts";
import type { Ids } from "#ports/clock.ts";
import type { Place, Sealed, Sealer } from "#ports/secrets.ts";
import type {
  CredentialRecord,
  NewVariable,
  NotKept,
  SshKeyPair,
  SshKeyRecord,
  UserKeyStore,
  UserSettings,
  VariableRecord,
  VariableScope,
} from "#ports/user-keys.ts";
import { audit } from "./audit.ts";

const NO_SETTINGS: UserSettings = { gitName: null, gitEmail: null, dotfilesAddress: null, dotfilesCommand: null };
const ofSsh = { kind: "ssh", host: "" } as const;

/** What people keep, on the pool that has the API's role. It seals and never opens; what is replaced gets a new id. */
export class PostgresUserKeyStore implements UserKeyStore {
  readonly #pool: pg.Pool;
  readonly #sealer: Sealer;
  readonly #ids: Ids;

  constructor(pool: pg.Pool, sealer: Sealer, ids: Ids) {
    this.#pool = pool;
    this.#sealer = sealer;
    this.#ids = ids;
  }

  async settings(userId: string): Promise<UserSettings> {
    return (await first(this.#pool, readUserSettings, { userId })) ?? NO_SETTINGS;
  }

  async saveSettings(userId: string, settings: UserSettings, actor: AuditActor): Promise<void> {
    await inTransaction(this.#pool, async (tx) => {
      await count(tx, saveUserSettings, { userId, ...settings });
      await audit(tx, actor, "git_settings_changed");
    });
  }

  async sshKey(userId: string): Promise<SshKeyRecord | null> {
    const kept = await first(this.#pool, listCredentials, { userId, kind: "ssh" });
    if (kept === null) return null;
    const { publicKey, changedAt, keyId } = kept;
    return { publicKey, changedAt, canBeOpened: await this.#sealer.has(keyId) };
  }

  saveSshKey(userId: string, pair: SshKeyPair, actor: AuditActor): Promise<SshKeyRecord | NotKept> {
    const { publicKey } = pair;
    return this.#keep(userId, { scope: "ssh", name: "" }, pair.privateKey, async (tx, id, sealed) => {
      await count(tx, deleteCredentialFor, { userId, ...ofSsh });
      const row = { id, userId, ...ofSsh, username: null, publicKey, ...sealed };
      const { changedAt } = await one(tx, insertCredential, row);
      await audit(tx, actor, "ssh_key_made");
      return { publicKey, changedAt, canBeOpened: true };
    });
  }

  removeSshKey(userId: string, actor: AuditActor): Promise<boolean> {
    return inTransaction(this.#pool, async (tx) => {
      const gone = (await count(tx, deleteCredentialFor, { userId, ...ofSsh })) > 0;
      if (gone) await audit(tx, actor, "ssh_key_deleted");
      return gone;
    });
  }

  async credentials(userId: string): Promise<readonly CredentialRecord[]> {
    const rows = await all(this.#pool, listCredentials, { userId, kind: "https" });
    return await Promise.all(
      rows.map(async ({ id, host, username, changedAt, keyId }) => ({
        ...{ id, host, username, changedAt },
        canBeOpened: await this.#sealer.has(keyId),
      })),
    );
  }

  saveCredential(
    userId: string,
    { host, username, password }: { readonly host: string; readonly username: string; readonly password: string },
    actor: AuditActor,
  ): Promise<CredentialRecord | NotKept> {
    return this.#keep<CredentialRecord>(userId, { scope: "https", name: host }, password, async (tx, id, sealed) => {
      const kept = await all(tx, listCredentials, { userId, kind: "https" });
      if (kept.filter((other) => other.host !== host).length >= MOST_CREDENTIALS) return "too_many";
      await count(tx, deleteCredentialFor, { userId, kind: "https", host });
      const row = { id, userId, kind: "https", host, username, publicKey: null, ...sealed } as const;
      const { changedAt } = await one(tx, insertCredential, row);
      await audit(tx, actor, "credential_saved", { host });
      return { id, host, username, changedAt, canBeOpened: true };
    });
  }

  removeCredential(userId: string, id: string, actor: AuditActor): Promise<boolean> {
    return inTransaction(this.#pool, async (tx) => {
      const gone = await first(tx, deleteCredential, { userId, id });
      if (gone !== null) await audit(tx, actor, "credential_deleted", { host: gone.host });
      return gone !== null;
    });
  }

  async variables({ userId, workspaceId }: VariableScope): Promise<readonly VariableRecord[]> {
    const rows = await all(this.#pool, listVariables, { userId, workspaceId });
    return await Promise.all(
      rows.map(async ({ keyId, ...variable }) => ({ ...variable, canBeOpened: await this.#sealer.has(keyId) })),
    );
  }

  saveVariable(
    { userId, workspaceId }: VariableScope,
    { value, ...variable }: NewVariable,
    actor: AuditActor,
  ): Promise<VariableRecord | NotKept> {
    const { name } = variable;
    const bytes = Buffer.byteLength(value);
    return this.#keep<VariableRecord>(userId, { scope: workspaceId ?? "user", name }, value, async (tx, id, sealed) => {
      const kept = await all(tx, listVariables, { userId, workspaceId });
      const same = kept.find((other) => other.name === name);
      const others = kept.filter((other) => other !== same);
      if (others.length >= MOST_VARIABLES) return "too_many";
      if (others.reduce((sum, other) => sum + other.bytes, bytes) > VARIABLES_BYTES) return "too_large";
      if (same !== undefined) await count(tx, deleteVariable, { userId, workspaceId, id: same.id });
      const row = { id, userId, workspaceId, ...variable, bytes, ...sealed };
      const { changedAt } = await one(tx, insertVariable, row);
      await audit(tx, actor, "variable_saved", { name, secret: variable.isSecret, ...ofWorkspace(workspaceId) });
      return { id, ...variable, bytes, changedAt, canBeOpened: true };
    });
  }

  removeVariable({ userId, workspaceId }: VariableScope, id: string, actor: AuditActor): Promise<boolean> {
    return inTransaction(this.#pool, async (tx) => {
      const gone = await first(tx, deleteVariable, { userId, workspaceId, id });
      const details = { name: gone?.name, secret: gone?.isSecret, ...ofWorkspace(workspaceId) };
      if (gone !== null) await audit(tx, actor, "variable_deleted", details);
      return gone !== null;
    });
  }

  sweep(): Promise<number> {
    return count(this.#pool, deleteVariablesOfDeleted, {});
  }

  /** Seals with the key that seals now and goes on doing so until the row is there; a rotation waits for it. */
  #keep<R>(
    userId: string,
    { scope, name }: Pick<Place, "scope" | "name">,
    value: string,
    write: (tx: Queryable, id: string, sealed: Sealed) => Promise<R | NotKept>,
  ): Promise<R | NotKept> {
    return inTransaction(this.#pool, async (tx) => {
      // One change of a user's after the other; and none after all of them were deleted with the account's end.
      const account = await first(tx, lockAccount, { id: userId });
      if (account === null || account.disabledAt !== null) return "disabled";
      const key = await first(tx, readSealingKey, {});
      const id = this.#ids.uuid();
      const sealed = key === null ? null : await this.#sealer.seal(key.id, { owner: userId, scope, name, id }, value);
      return sealed === null ? "no_key" : await write(tx, id, sealed);
    });
  }
}

const ofWorkspace = (workspaceId: string | null) => (workspaceId === null ? {} : { workspace_id: workspaceId });
