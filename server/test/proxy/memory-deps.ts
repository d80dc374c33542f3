import { randomBytes, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { holdsSlot } from "#core/requests/limits.ts";
import type { PortShare } from "#core/requests/sharing.ts";
import { type AddressForm, drawAddress } from "#core/rows/address.ts";
import type { Address, Workspace } from "#core/rows/workspace.ts";
import type { Account, HandoverStore, NewHandover, SessionRecord, WorkspaceSession } from "#ports/accounts.ts";
import type { IdeFiles } from "#ports/ide-files.ts";
import type { PortAddress, Runtime } from "#ports/runtime.ts";
import type { RequestDecision, RequestFacts, RequestStore, WorkspaceReader } from "#ports/store.ts";
import type { ProgressView, SlotHolder, WorkspaceView } from "#ports/views.ts";
import { sha256 } from "#proxy/door/gate.ts";
import { workspace } from "../fixtures/workspace.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** Users, sessions and rows in memory, with the same promises as the database's stores. */
export class World
  implements
    HandoverStore,
    WorkspaceReader,
    Pick<RequestStore, "change">,
    Pick<Runtime, "portAddress" | "confirms" | "ideFiles">
{
  readonly rows = new Map<string, Workspace>();
  /** How the hosts of new workspaces are called. */
  form: AddressForm = "words";
  readonly addresses = new Map<string, string>();
  readonly touched: string[] = [];
  readonly progress = new Map<string, ProgressView>();
  readonly ports = new Map<number, PortAddress>();
  /** Whose owners are not disabled. */
  shares: PortShare[] = [];
  engineDown = false;
  ideFiles: IdeFiles | null = null;
  confirms: Runtime["confirms"] = () => true;
  /** While true every question is answered by an error, as when the database is down. */
  down = false;
  readonly #onRead: (() => void)[] = [];
  readonly #sessions = new Map<string, SessionRecord>();
  readonly #codes = new Map<string, NewHandover & { readonly expiresAt: number }>();
  readonly #workspaceSessions = new Map<string, WorkspaceSession & { readonly parent: string }>();

  addUser(): Account {
    return {
      id: randomUUID(),
      username: `u${randomBytes(3).toString("hex")}`,
      role: "user",
      disabledAt: null,
      createdAt: 0,
      lastLoginAt: null,
      mustChangePassword: false,
      deletedAt: null,
      maxRunning: null,
    };
  }

  login(account: Account): { readonly token: string; readonly record: SessionRecord } {
    const token = randomBytes(32).toString("base64url");
    const record = { sessionId: randomUUID(), account, expiresAt: Date.now() + 3_600_000 };
    this.#sessions.set(hex(sha256(token)), record);
    return { token, record };
  }

  logout(sessionId: string): void {
    for (const [key, session] of this.#sessions) if (session.sessionId === sessionId) this.#sessions.delete(key);
    for (const [key, session] of this.#workspaceSessions)
      if (session.parent === sessionId) this.#workspaceSessions.delete(key);
  }

  addWorkspace(owner: Account, overrides: Partial<Workspace> = {}): Workspace {
    const address = this.form === "words" ? drawAddress(overrides.name ?? "paper", randomUUID()) : null;
    const row = workspace({ id: randomUUID(), ownerId: owner.id, address, ...overrides });
    if (row.address !== null) this.addresses.set(row.address, row.id);
    this.rows.set(row.id, row);
    return row;
  }

  running(owner: Account, address: Address, overrides: Partial<Workspace> = {}): Workspace {
    const endpoint = { containerId: randomUUID(), attempt: randomUUID(), address };
    return this.addWorkspace(owner, { phase: "RUNNING", homeVolume: "v", endpoint, ...overrides });
  }

  patch(id: string, change: Partial<Workspace>): void {
    const row = this.rows.get(id);
    if (row !== undefined) this.rows.set(id, { ...row, ...change, rowVersion: row.rowVersion + 1 });
  }

  /** As the database does it: whoever is in it came in at another address. */
  write(id: string, change: Partial<Workspace>): void {
    const { address } = change;
    this.patch(id, change);
    if (address === undefined) return;
    if (address !== null) this.addresses.set(address, id);
    for (const [key, session] of this.#workspaceSessions)
      if (session.workspaceId === id) this.#workspaceSessions.delete(key);
  }

  async find(tokenHash: Uint8Array): Promise<SessionRecord | null> {
    this.#answer();
    return this.#sessions.get(hex(tokenHash)) ?? null;
  }

  async alive(ids: readonly string[]): Promise<ReadonlySet<string>> {
    this.#answer();
    const known = [...this.#sessions.values(), ...this.#workspaceSessions.values()].map((session) => session.sessionId);
    return new Set(ids.filter((id) => known.includes(id)));
  }

  async issue(handover: NewHandover): Promise<boolean> {
    this.#answer();
    this.#codes.set(hex(handover.codeHash), { ...handover, expiresAt: Date.now() + handover.lifetimeMs });
    return true;
  }

  async redeem(
    codeHash: Uint8Array,
    expected: { stateHash: Uint8Array; port: number | null; host: string },
    session: { tokenHash: Uint8Array; lifetimeMs: number },
  ): Promise<WorkspaceSession | null> {
    this.#answer();
    const code = this.#codes.get(hex(codeHash));
    this.#codes.delete(hex(codeHash));
    if (code === undefined || code.expiresAt < Date.now() || hex(code.stateHash) !== hex(expected.stateHash))
      return null;
    if (code.port !== expected.port || code.host !== expected.host) return null;
    const made = {
      sessionId: randomUUID(),
      userId: code.userId,
      workspaceId: code.workspaceId,
      port: code.port,
      expiresAt: Date.now() + session.lifetimeMs,
      parent: code.sessionId,
    };
    this.#workspaceSessions.set(hex(session.tokenHash), made);
    return made;
  }

  async findWorkspaceSession(tokenHash: Uint8Array): Promise<WorkspaceSession | null> {
    this.#answer();
    return this.#workspaceSessions.get(hex(tokenHash)) ?? null;
  }

  /** A workspace session without the way there, for tests that are about something else. */
  admit(row: Workspace, parent: string, port: number | null = null): string {
    const token = randomBytes(32).toString("base64url");
    const { id: workspaceId, ownerId: userId } = row;
    const expiresAt = Date.now() + 3_600_000;
    this.#workspaceSessions.set(hex(sha256(token)), {
      sessionId: randomUUID(),
      userId,
      workspaceId,
      port,
      expiresAt,
      parent,
    });
    return token;
  }

  /** Somebody asks for a row, and has got it by the time this resolves. */
  async nextRead(): Promise<void> {
    await new Promise<void>((done) => this.#onRead.push(done));
    await setImmediate();
  }

  async read(id: string): Promise<Workspace | null> {
    for (const done of this.#onRead.splice(0)) done();
    this.#answer();
    return this.rows.get(id) ?? null;
  }

  async readMany(ids: readonly string[]): Promise<Workspace[]> {
    this.#answer();
    return ids.flatMap((id) => this.rows.get(id) ?? []);
  }

  async get(id: string): Promise<WorkspaceView | null> {
    const row = await this.read(id);
    return row === null
      ? null
      : { row, ownerName: "owner", progress: this.progress.get(id) ?? null, lastArchive: null, homeBytes: null };
  }

  async idOfAddress(label: string): Promise<string | null> {
    this.#answer();
    return this.addresses.get(label) ?? null;
  }

  async slotHolders(ownerId: string | null): Promise<readonly SlotHolder[]> {
    return [...this.rows.values()]
      .filter((row) => holdsSlot(row) && (ownerId === null || row.ownerId === ownerId))
      .sort((a, b) => a.lastAccessAt - b.lastAccessAt)
      .map(({ id, name, phase, lastAccessAt }) => ({ id, name, phase, lastAccessAt }));
  }

  async mostRunning(): Promise<number | null> {
    return null;
  }

  async firstOwner(): Promise<string | null> {
    return [...this.rows.values()][0]?.ownerId ?? null;
  }

  async change<R>(
    id: string,
    _options: { countSlots: boolean },
    decide: (facts: RequestFacts) => RequestDecision<R>,
  ): Promise<R> {
    this.#answer();
    const row = this.rows.get(id) ?? null;
    const others = [...this.rows.values()].filter((other) => other.id !== id && holdsSlot(other));
    const ofOwner = others.filter((other) => other.ownerId === row?.ownerId).length;
    const decision = decide({ row, now: Date.now(), slots: { ofOwner, global: others.length } });
    if (decision.write !== null) this.write(id, decision.write);
    return decision.result;
  }

  /** Nothing is made at the door, and nobody is disabled there. */
  allowCommands(): Promise<never> {
    return Promise.reject(new Error("nobody agrees to commands through a proxy"));
  }

  create(): Promise<never> {
    return Promise.reject(new Error("the door creates no workspace"));
  }

  ofOwner(): Promise<never> {
    return Promise.reject(new Error("the door asks for no list of workspaces"));
  }

  async portAddress(_containerId: string, port: number): Promise<PortAddress | null> {
    if (this.engineDown) throw new Error("the engine does not answer");
    return this.ports.get(port) ?? null;
  }

  async open(ids: readonly string[]): Promise<readonly PortShare[]> {
    this.#answer();
    return this.shares.filter(({ workspaceId }) => ids.includes(workspaceId));
  }

  touch(workspaceId: string): void {
    this.touched.push(workspaceId);
  }

  #answer(): void {
    if (this.down) throw new Error("the database does not answer");
  }
}
