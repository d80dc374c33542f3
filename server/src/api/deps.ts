import type { Finding } from "#core/doctor/finding.ts";
import type { AttentionFacts } from "#core/notices/concerns.ts";
import type { HomeSizes } from "#core/requests/home-size.ts";
import type { TtlDefaults } from "#core/requests/idle.ts";
import type { Limits } from "#core/requests/limits.ts";
import type { SharingBound } from "#core/requests/sharing.ts";
import type { AddressForm } from "#core/rows/address.ts";
import type { Fields } from "#core/rows/meaning.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import type { EventHub } from "#events/hub.ts";
import type { AccountStore, AuditActor, Doer, SessionStore, ThrottleStore, TokenStore } from "#ports/accounts.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import type { Bus } from "#ports/bus.ts";
import type { CheckRequests } from "#ports/checks.ts";
import type { Clock, Ids } from "#ports/clock.ts";
import type { Logger } from "#ports/logger.ts";
import type { Lack, ListeningPort, Runtime } from "#ports/runtime.ts";
import type { ShareStore } from "#ports/shares.ts";
import type { WorkspaceReader } from "#ports/store.ts";
import type { Tracer } from "#ports/tracer.ts";
import type { SshKeyPair, UserKeyStore } from "#ports/user-keys.ts";
import type { Views } from "#ports/views.ts";
import type { WorkspaceRequests } from "#requests/workspace-requests.ts";
import type { PasswordHasher } from "./accounts/password-hasher.ts";
import type { ApiMetrics } from "./health/metrics.ts";

export interface ApiSettings {
  readonly version: string;
  /** The dashboard's own address. Requests for any other host are answered 421. */
  readonly baseUrl: URL;
  /** Address of a workspace with `{id}` in place of its id, for example `http://{id}.localhost:8000`. */
  readonly workspaceBaseUrl: string;
  /** What new workspaces are called in it, where their owners say nothing. */
  readonly newAddress: AddressForm;
  /** Addresses or networks whose X-Forwarded-* headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Requests come through our own proxy over a socket of this machine, which tells where from. */
  readonly behindOwnProxy: boolean;
  readonly unsafeSingleOrigin: boolean;
  readonly runtimeKind: "process" | "docker" | "kubernetes";
  /** Workspaces are plain processes of this machine. */
  readonly trustedSingleUser: boolean;
  /** What workspaces do without on this machine. */
  readonly lacks: readonly Lack[];
  /** Ports of workspaces on which we run something of our own, such as the IDE. */
  readonly ownPorts: readonly number[];
  /** With whom owners may share ports. */
  readonly portSharing: SharingBound;
  readonly limits: Limits;
  readonly ttl: TtlDefaults;
  readonly trashRetentionMs: number;
  readonly usageRetentionMs: number;
  /** Null where homes have no sizes. */
  readonly homeSizes: HomeSizes | null;
  readonly defaultImage: string;
  /** Images a workspace may use, the default one among them. */
  readonly images: readonly string[];
  /** Git hosts, with their port where it is not 80, that may be asked without encryption. */
  readonly gitHttpHosts: readonly string[];
  /** With it, and not only as an administrator, metrics can be read. */
  readonly metricsToken: string | null;
  /** The built dashboard, or null for an API without one. */
  readonly dashboardDirectory: string | null;
}

export interface ReadinessCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** What was found, with its words. */
export interface Examined {
  readonly at: number;
  readonly machine: string;
  readonly findings: readonly (Finding & { readonly found: string; readonly cure: string | null })[];
}

/** Ports only; the composition root decides what stands behind them. */
export interface ApiDeps {
  readonly settings: ApiSettings;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: ApiMetrics;
  /** Where somebody collects what each request set off. */
  readonly tracer?: Tracer | undefined;
  readonly hasher: PasswordHasher;
  readonly workspaces: WorkspaceReader;
  readonly requests: WorkspaceRequests;
  readonly views: Views;
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly throttle: ThrottleStore;
  readonly userKeys: UserKeyStore;
  readonly checks: CheckRequests;
  readonly shares: ShareStore;
  /** A new pair; the comment is what people recognise it by. */
  readonly newSshKey: (comment: string) => SshKeyPair;
  readonly bus: Bus;
  readonly hub: EventHub;
  readonly archives: Pick<ArchiveStore, "get">;
  readonly logs: (containerId: string, lines: number) => Promise<string>;
  /** Rejects where it cannot be seen. */
  readonly listening: (containerId: string) => Promise<readonly ListeningPort[]>;
  /** What takes the room in the home of a container that runs; both null where nothing can be run in one. */
  readonly home: Pick<Runtime, "lookIntoHome" | "emptyInHome">;
  /** A line in the history of a workspace for what a person did in it through us. */
  readonly tell: (workspace: Workspace, by: Doer, kind: string, code: string, details: Fields) => Promise<void>;
  /** A line of the audit log for what changes nothing. */
  readonly audit: (actor: AuditActor, kind: string, details: Readonly<Record<string, unknown>>) => Promise<void>;
  /** An administrator's word that garbage collection may go on. */
  readonly resumeGc: (actorId: string) => Promise<void>;
  /** What codehub doctor finds, from where this process is. */
  readonly examine: () => Promise<Examined>;
  /** What else the database knows that a person has to look at. */
  readonly attention: () => Promise<Omit<AttentionFacts, "findings">>;
  /** Whether an error means that the database cannot be reached, as opposed to a mistake of ours. */
  readonly isDatabaseDown: (error: unknown) => boolean;
  /** Checks beyond database and bus that this process depends on. */
  readonly readiness: () => Promise<readonly ReadinessCheck[]>;
}
