import type { Ms } from "#core/rows/workspace.ts";
import type { AuditActor } from "./accounts.ts";

/** What people keep for their workspaces, as far as the API knows it: names and dates, never a value. */
export interface UserSettings {
  readonly gitName: string | null;
  readonly gitEmail: string | null;
  readonly dotfilesAddress: string | null;
  readonly dotfilesCommand: string | null;
}

export interface SshKeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** Whether the key that sealed a value is still here. Without it the value is lost, and its name is not. */
interface Openable {
  readonly canBeOpened: boolean;
}

export interface SshKeyRecord extends Openable {
  readonly publicKey: string;
  readonly changedAt: Ms;
}

export interface CredentialRecord extends Openable {
  readonly id: string;
  readonly host: string;
  readonly username: string;
  readonly changedAt: Ms;
}

export interface VariableRecord extends Openable {
  readonly id: string;
  readonly name: string;
  readonly isSecret: boolean;
  /** Only workspaces with one of these get it; null: all do. */
  readonly repositories: readonly string[] | null;
  readonly bytes: number;
  readonly changedAt: Ms;
}

/** Of a user, or of one workspace of theirs. */
export interface VariableScope {
  readonly userId: string;
  readonly workspaceId: string | null;
}

export interface NewVariable {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
  readonly repositories: readonly string[] | null;
}

/** Why something was not kept. */
export type NotKept =
  /** The key that seals is not here, or there is none. */
  | "no_key"
  /** The account was disabled meanwhile. */
  | "disabled"
  | "too_many"
  | "too_large";

/** What replaces something of the same name takes its place; every change writes its audit line with it. */
export interface UserKeyStore {
  readonly settings: (userId: string) => Promise<UserSettings>;
  readonly saveSettings: (userId: string, settings: UserSettings, actor: AuditActor) => Promise<void>;
  readonly sshKey: (userId: string) => Promise<SshKeyRecord | null>;
  readonly saveSshKey: (userId: string, pair: SshKeyPair, actor: AuditActor) => Promise<SshKeyRecord | NotKept>;
  readonly removeSshKey: (userId: string, actor: AuditActor) => Promise<boolean>;
  readonly credentials: (userId: string) => Promise<readonly CredentialRecord[]>;
  readonly saveCredential: (
    userId: string,
    credential: { readonly host: string; readonly username: string; readonly password: string },
    actor: AuditActor,
  ) => Promise<CredentialRecord | NotKept>;
  readonly removeCredential: (userId: string, id: string, actor: AuditActor) => Promise<boolean>;
  readonly variables: (scope: VariableScope) => Promise<readonly VariableRecord[]>;
  readonly saveVariable: (
    scope: VariableScope,
    variable: NewVariable,
    actor: AuditActor,
  ) => Promise<VariableRecord | NotKept>;
  readonly removeVariable: (scope: VariableScope, id: string, actor: AuditActor) => Promise<boolean>;
  /** Removes what belonged to workspaces that are deleted for good. */
  readonly sweep: () => Promise<number>;
}
