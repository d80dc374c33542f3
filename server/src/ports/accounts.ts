import type { Ms } from "#core/rows/workspace.ts";

export type Role = "admin" | "user";

export interface Account {
  readonly id: string;
  readonly username: string;
  readonly role: Role;
  readonly disabledAt: Ms | null;
  readonly createdAt: Ms;
  readonly lastLoginAt: Ms | null;
  readonly mustChangePassword: boolean;
  /** Since when only the name is left. */
  readonly deletedAt: Ms | null;
  /** How many workspaces may run in place of what everybody may; null where nothing was said. */
  readonly maxRunning: number | null;
}

/** What somebody has and uses. */
export interface AccountOverview extends Account {
  readonly lastSeenAt: Ms | null;
  readonly workspaces: number;
  readonly running: number;
  readonly inTrash: number;
  readonly homeBytes: number;
  readonly archiveBytes: number;
  readonly sessions: number;
  readonly tokens: number;
}

/** Whoever did something, for the audit line that is written in the same transaction. */
export interface AuditActor {
  readonly kind: "user" | "admin" | "system";
  readonly userId: string | null;
  readonly address: string | null;
}

/** A person who does something, and from where. */
export interface Doer {
  readonly userId: string;
  readonly address: string | null;
}

export interface NewAccount {
  readonly id: string;
  readonly username: string;
  readonly passwordHash: string;
  readonly role: Role;
  readonly mustChangePassword: boolean;
}

export interface AccountChange {
  readonly disabled?: boolean;
  readonly role?: Role;
  readonly maxRunning?: number | null;
}

export type Removal =
  | { readonly done: true; readonly given: number }
  | { readonly done: false; readonly why: "not_found" | "mismatch" | "last_admin" | "no_receiver" }
  /** These run, are on their way, or cannot be seen: nothing was done. */
  | { readonly done: false; readonly why: "not_at_rest"; readonly names: readonly string[] };

export interface AccountStore {
  readonly list: () => Promise<readonly AccountOverview[]>;
  readonly find: (id: string) => Promise<Account | null>;
  /** With the hash, for signing in; also disabled accounts, so that they take as long as others. */
  readonly findForLogin: (
    username: string,
  ) => Promise<{ readonly account: Account; readonly passwordHash: string } | null>;
  readonly passwordHashOf: (id: string) => Promise<string | null>;
  readonly count: () => Promise<number>;
  /** Null when the username is taken. */
  readonly create: (account: NewAccount, actor: AuditActor) => Promise<Account | null>;
  /**
   * Changes role or disables, in one transaction with the end of all sessions and API tokens where the account was
   * disabled.
   * "last_admin" when nobody would be left who can administer; null when there is no such account.
   */
  readonly update: (id: string, change: AccountChange, actor: AuditActor) => Promise<Account | "last_admin" | null>;
  /**
   * Deletes an account in one transaction with all by which somebody gets in and all that was kept: what is left is a name. Where
   * somebody is to have what belonged to it, every workspace of it is theirs from then on, or nothing is done.
   */
  readonly remove: (
    id: string,
    removal: { readonly confirmation: string; readonly giveTo: string | null },
    actor: AuditActor,
  ) => Promise<Removal>;
  /** What a deleted user left in the trash is somebody else's from now on. */
  readonly giveLeft: (id: string, to: string, actor: AuditActor) => Promise<Removal>;
  /** Deleted users who still have a workspace that is not deleted. */
  readonly deletedOwners: () => Promise<readonly string[]>;
  /**
   * Sets the hash and ends every session, and the API tokens where the change says so. Null when there is no such
   * account, or when the hash it replaces is not the account's any more.
   */
  readonly setPassword: (id: string, password: PasswordChange, actor: AuditActor) => Promise<Account | null>;
  /** Ends every session and API token. False when there is no such account. */
  readonly endAccess: (id: string, actor: AuditActor) => Promise<boolean>;
  /**
   * Replaces a hash made with older parameters; says nothing in the audit log. False when that hash is not the account's
   * any more: nothing was replaced.
   */
  readonly rehash: (id: string, outdated: string, passwordHash: string) => Promise<boolean>;
}

export interface PasswordChange {
  readonly passwordHash: string;
  /** The hash of the password that was checked first; null where somebody else sets a new one. */
  readonly replaces: string | null;
  readonly mustChangePassword: boolean;
  readonly endTokens: boolean;
}

/** A browser's session on the dashboard's origin. The secret itself is never stored. */
export interface NewSession {
  readonly tokenHash: Uint8Array;
  readonly userId: string;
  /** The hash of the password that was checked for it. */
  readonly passwordHash: string;
  readonly lifetimeMs: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

export interface SessionRecord {
  readonly sessionId: string;
  readonly account: Account;
  readonly expiresAt: Ms;
}

/** A session on the dashboard as an administrator sees it. */
export interface ListedSession {
  readonly id: string;
  readonly createdAt: Ms;
  readonly expiresAt: Ms;
  readonly address: string | null;
  readonly userAgent: string | null;
}

export interface SessionStore {
  /** Those of a user that are alive, the newest first; not what was handed over from them. */
  readonly list: (userId: string) => Promise<readonly ListedSession[]>;
  /** As `end`, of somebody else; false when this user has no such session. */
  readonly endOf: (userId: string, sessionId: string, actor: AuditActor) => Promise<boolean>;
  /**
   * Also notes the login in the audit log and ends the session that was there before, if any. Null when the password was
   * changed or the account disabled since it was checked: what ended every session then would have missed this one.
   */
  readonly open: (session: NewSession, replaces: Uint8Array | null) => Promise<SessionRecord | null>;
  /** Null unless the session is alive: known, not expired by the database's clock, its user not disabled. */
  readonly find: (tokenHash: Uint8Array) => Promise<SessionRecord | null>;
  /**
   * Those of the given sessions that are still alive and whose user need not change the password first, for streams
   * that are checked again while they are open.
   */
  readonly alive: (sessionIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Ends the session and everything handed over from it; resolves to how many rows went. */
  readonly end: (sessionId: string, actor: AuditActor) => Promise<number>;
  readonly endAll: (userId: string, actor: AuditActor) => Promise<number>;
  /** Removes what expired; nothing depends on it but disk space. */
  readonly sweep: () => Promise<number>;
}

export interface TokenRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Ms;
  readonly lastUsedAt: Ms | null;
  readonly expiresAt: Ms | null;
}

export interface NewToken {
  readonly id: string;
  readonly userId: string;
  /** The session it is asked for with; a token cannot make another one. */
  readonly sessionId: string;
  readonly name: string;
  readonly tokenHash: Uint8Array;
  readonly lifetimeMs: number | null;
}

export interface TokenStore {
  readonly list: (userId: string) => Promise<readonly TokenRecord[]>;
  /** "session_ended" when the session that asks is over by then: what ended its tokens would have missed this one. */
  readonly create: (
    token: NewToken,
    limit: number,
    actor: AuditActor,
  ) => Promise<TokenRecord | "too_many" | "session_ended">;
  readonly remove: (userId: string, id: string, actor: AuditActor) => Promise<boolean>;
  /** Null unless token and user are alive. Notes the use, at most once a minute. */
  readonly find: (tokenHash: Uint8Array) => Promise<{ readonly tokenId: string; readonly account: Account } | null>;
  /** As for sessions. */
  readonly alive: (tokenIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** A one-time code that carries a dashboard session over to a workspace's own origin. */
export interface NewHandover {
  readonly codeHash: Uint8Array;
  readonly stateHash: Uint8Array;
  readonly sessionId: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly port: number | null;
  readonly host: string;
  readonly lifetimeMs: number;
}

export interface WorkspaceSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly port: number | null;
  readonly expiresAt: Ms;
}

export interface HandoverStore {
  /** False when the dashboard session is not alive any more, or its user must change the password first. */
  readonly issue: (handover: NewHandover) => Promise<boolean>;
  /**
   * Uses the code up, whether or not the rest fits, and opens a workspace session under the dashboard session it came
   * from. Null unless code, state, port and host all fit and the code is fresh: the host is one workspace's.
   */
  readonly redeem: (
    codeHash: Uint8Array,
    expected: Pick<NewHandover, "stateHash" | "port" | "host">,
    session: { readonly tokenHash: Uint8Array; readonly lifetimeMs: number },
  ) => Promise<WorkspaceSession | null>;
  /** Null unless the workspace session, the dashboard session above it and the user are alive and no password is due. */
  readonly findWorkspaceSession: (tokenHash: Uint8Array) => Promise<WorkspaceSession | null>;
}

/** One counter of failed sign-ins, as the pure rule in core reads and writes it. */
export interface ThrottleKey {
  readonly scope: "account" | "address";
  readonly subject: string;
}

export interface ThrottleState {
  readonly failures: number;
  readonly firstFailureAt: Ms;
  readonly lastFailureAt: Ms;
  readonly blockedUntil: Ms | null;
}

export type ThrottleRule<R> = (
  states: readonly (ThrottleState | null)[],
  now: Ms,
) => { readonly next: readonly (ThrottleState | null)[]; readonly result: R };

export interface ThrottleStore {
  /**
   * Locks the counters in one order, reads them with the database's clock, lets the pure function decide, writes the
   * new counters and commits: attempts made at the same moment are counted one after the other. A null in `next`
   * leaves a counter as it is.
   */
  readonly decide: <R>(keys: readonly ThrottleKey[], rule: ThrottleRule<R>) => Promise<R>;
  /** Forgets counters after a successful sign-in. */
  readonly clear: (keys: readonly ThrottleKey[]) => Promise<void>;
  /** Whether this account has signed in from this address lately. */
  readonly knownAddress: (username: string, address: string, withinMs: number) => Promise<boolean>;
  readonly sweep: (olderThanMs: number) => Promise<number>;
  /** An audit line for an attempt that failed or was refused; the name is written only where such an account exists. */
  readonly noteFailure: (
    username: string,
    address: string | null,
    why: "wrong" | "throttled" | "disabled",
  ) => Promise<void>;
}
