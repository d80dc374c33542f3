import type pg from "pg";
import { readOwnerCredentials } from "#adapters/postgres/queries/keys/read-owner-credentials.ts";
import { readOwnerVariables } from "#adapters/postgres/queries/keys/read-owner-variables.ts";
import { readUserSettings } from "#adapters/postgres/queries/keys/read-user-settings.ts";
import { all, first } from "#adapters/postgres/statement.ts";
import type { Keyring, KeyringQuery, Keys, OneKey } from "#ports/keyring.ts";
import type { Sealer } from "#ports/secrets.ts";

/** What people keep for their workspaces, on the pool that has the coordinator's role: it reads and writes nothing. */
export class PostgresKeyring implements Keyring {
  readonly #pool: pg.Pool;
  readonly #sealer: Sealer;

  constructor(pool: pg.Pool, sealer: Sealer) {
    this.#pool = pool;
    this.#sealer = sealer;
  }

  async open(whose: KeyringQuery): Promise<Keys> {
    const settings = await first(this.#pool, readUserSettings, { userId: whose.ownerId });
    const locked: string[] = [];
    const variables = await this.#variables(whose, locked);
    const keys = whose.withKeys ? await this.#credentials(whose.ownerId, locked) : NO_KEYS;
    const address = whose.withKeys ? (settings?.dotfilesAddress ?? null) : null;
    return {
      git: { name: settings?.gitName ?? null, email: settings?.gitEmail ?? null },
      ...keys,
      variables,
      dotfiles: address === null ? null : { address, command: settings?.dotfilesCommand ?? null },
      locked,
    };
  }

  async openOne(ownerId: string, which: OneKey): Promise<Pick<Keys, "sshKey" | "credentials" | "locked">> {
    const locked: string[] = [];
    return { ...(await this.#credentials(ownerId, locked, which)), locked };
  }

  async #variables(whose: KeyringQuery, locked: string[]): Promise<Keys["variables"]> {
    const { ownerId: userId, workspaceId, repository, withKeys } = whose;
    const rows = await all(this.#pool, readOwnerVariables, { userId, workspaceId });
    const given = rows.filter(
      ({ isSecret, repositories }) =>
        (withKeys || !isSecret) &&
        (repositories === null || (repository !== null && repositories.includes(repository))),
    );
    // A workspace's own wins over its owner's also where it does not open: the other value would be a wrong one.
    const winners = new Map(given.map((row) => [row.name, row]));
    const variables: { name: string; value: string }[] = [];
    for (const { id, name, workspaceId: scope, ...sealed } of winners.values()) {
      const value = await this.#sealer.open({ owner: userId, scope: scope ?? "user", name, id }, sealed);
      if (value === null) locked.push(name);
      else variables.push({ name, value });
    }
    return variables;
  }

  async #credentials(
    owner: string,
    locked: string[],
    only: OneKey | null = null,
  ): Promise<Pick<Keys, "sshKey" | "credentials">> {
    let sshKey: Keys["sshKey"] = null;
    const credentials: Keys["credentials"][number][] = [];
    for (const row of await all(this.#pool, readOwnerCredentials, { userId: owner })) {
      const { id, kind, host, username, publicKey, ...sealed } = row;
      // What is not meant stays closed.
      if (only !== null && !(only.kind === kind && (only.kind === "ssh" || only.host === host))) continue;
      const value = await this.#sealer.open({ owner, scope: kind, name: host, id }, sealed);
      if (value === null) locked.push(kind === "ssh" ? "SSH key" : host);
      else if (kind === "ssh") sshKey = { privateKey: value, publicKey: publicKey ?? "" };
      else credentials.push({ host, username: username ?? "", password: value });
    }
    return { sshKey, credentials };
  }
}

const NO_KEYS: Pick<Keys, "sshKey" | "credentials"> = { sshKey: null, credentials: [] };
