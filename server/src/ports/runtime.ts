import type { Fields } from "#core/rows/meaning.ts";
import type { ContainerSeen, Seen } from "#core/rows/observation.ts";
import type { Address, Ms } from "#core/rows/workspace.ts";
import type { UsageSeen } from "#core/rules/usage.ts";
import type { Emptied, HomeLook } from "#core/space/home-look.ts";
import type { IdeFiles } from "./ide-files.ts";
import type { PrepareStep } from "./jobs.ts";
import type { PullCredential, StartExtra, StartExtras } from "./start-extras.ts";
import type { PortRange } from "./store.ts";

/**
 * Where workspaces run. Every resource carries labels: deployment, workspace, attempt; only resources with this
 * deployment's label are ever listed or touched. A rejected promise means "not seen" or "not known whether it was
 * done", never "not there". Every call ends within its own timeout, also when the engine hangs.
 */
export interface Runtime {
  readonly kind: "process" | "docker" | "kubernetes" | "simulated";
  /** Host ports that STARTING must reserve in the database, or null when the runtime needs none. */
  readonly hostPorts: PortRange | null;
  /** What a start can be given here. Look before you fill it in: `start` refuses the rest, and never leaves it out. */
  readonly takes: Readonly<Record<StartExtra, boolean>>;
  /** What workspaces have elsewhere and not here, as this machine is; nothing where it is left out. */
  readonly lacks?: readonly Lack[];
  /** The files of the IDE that every workspace runs, where this server has them and workspaces cannot change them. */
  readonly ideFiles?: IdeFiles | null;
  /** Identifies the engine; another id later means that nothing seen speaks of our workspaces. */
  readonly engineId: () => Promise<string>;

  /** Every container of this deployment, also created and exited ones, in one call. */
  readonly list: () => Promise<ContainerSeen[]>;
  /** The containers of one workspace. */
  readonly inspect: (workspaceId: string) => Promise<ContainerSeen[]>;

  /**
   * Makes the image available, and tells how far it is. Rejects with OperationFailure("ImagePullFailed"). The start is
   * given the same credential, because some engines pull only then.
   */
  readonly ensureImage: (
    imageRef: string,
    onWaiting: OnWaiting,
    signal: AbortSignal,
    credential?: PullCredential,
  ) => Promise<void>;
  /**
   * Creates and starts the container. Refuses when the volume or its identity is missing (an engine would create an
   * empty one). Resolves when it was started, which is not yet "answers". What it waits for meanwhile is told where the
   * engine says so.
   */
  readonly start: (
    spec: StartSpec,
    signal: AbortSignal,
    onWaiting?: OnWaiting,
  ) => Promise<{ containerId: string; address: Address }>;
  /** Whether the IDE answers there. No redirects, no cookies, bounded size and time. False is "not yet". */
  readonly answers: (address: Address) => Promise<boolean>;
  /**
   * It answers: from now on it has its whole share of a processor that others want, too. Twice is as good as once. Left out
   * where one that starts takes nothing from those that run.
   */
  readonly cameUp?: (containerId: string) => Promise<void>;
  /** Whether the container that the address was recorded for is what a connection to it, made just now, has reached. */
  readonly confirms: (address: Address) => boolean | Promise<boolean>;
  /** Stops with grace, then force, and removes by id. Resolves when it is positively gone; gone already is fine. */
  readonly remove: (containerId: string, graceSeconds: number) => Promise<void>;
  /**
   * Null where containers run on the engine's own machine. Elsewhere: makes the engine forget this one container on a
   * machine that is off for good, which nobody but a person can know. Rejects, with nothing done, while the engine
   * hears from that machine. Nothing else ever removes by force.
   */
  readonly giveUp: ((stranded: { readonly container: string; readonly node: string }) => Promise<void>) | null;

  /**
   * What these running containers use at this moment, by id, in one look where the engine has one; what it does not know
   * is not seen, and why (UsageGap). One that is not among the answers said nothing. Null where nothing can be measured.
   */
  readonly usage: ((containers: readonly ContainerSeen[]) => Promise<ReadonlyMap<string, UsageSeen>>) | null;
  /**
   * What the files of a running container's home take, counted one by one: dear, so asked for seldom, and done with what
   * the machine has left over. Null where homes have disks of their own, which say so.
   */
  readonly homeBytes: ((container: ContainerSeen) => Promise<Seen<number>>) | null;
  /**
   * Where the room in a running container's home went, and what these folders of it take. Looked for inside, by its own
   * user: a link or a name in a home leads nobody further than that user gets. Takes up to a minute, and then says what it
   * saw. Null, as the next one is, where nothing can be run in a container that runs.
   */
  readonly lookIntoHome: ((containerId: string, folders: readonly string[]) => Promise<HomeLook>) | null;
  /** Empties these folders of its home in the same way, also those that are read-only; one that leads elsewhere stays. */
  readonly emptyInHome: ((containerId: string, folders: readonly string[]) => Promise<Emptied>) | null;
  /** The last lines of output, bounded. */
  readonly logs: (containerId: string, lines: number) => Promise<string>;
  /**
   * Where to connect to a port that the workspace's own processes listen on, be it on their loopback alone. Null when
   * none does, and for the IDE's own port.
   */
  readonly portAddress: (containerId: string, port: number) => Promise<PortAddress | null>;
  /** Every port that `portAddress` would lead to, in order. Rejects where that cannot be seen. */
  readonly listening: (containerId: string) => Promise<readonly ListeningPort[]>;
  /** Ports on which we run something of our own there; they lead nowhere. None where it is left out. */
  readonly ownPorts?: readonly number[];

  /** Calls back with a workspace id when something happened to one. Hints only; ends when the signal aborts. */
  readonly watch: (onHint: (workspaceId: string) => void, signal: AbortSignal) => Promise<void>;
}

/** The user has no name; the home is not at /home/coder; nothing is kept in memory alone. */
export type Lack = "user_name" | "home_path" | "memory_files";

/**
 * `listener` names the socket that listens there, where programs of others could listen on the same address a moment
 * later: a connection is the workspace's only when the same one is found before and after it was made.
 */
export type PortAddress = Address & { readonly listener?: string };

export interface ListeningPort {
  readonly port: number;
  /** What it is called, which the program itself can choose; null where that cannot be seen. */
  readonly program: string | null;
}

export interface StartSpec extends StartExtras {
  readonly workspaceId: string;
  readonly attempt: string;
  readonly volume: string;
  readonly imageRef: string;
  /** Reserved in the database for this attempt when `hostPorts` is set. */
  readonly hostPort: number | null;
  /** For the process runtime: workspaces of different owners run under different uids. */
  readonly ownerId: string;
  /** What stands for it in the host names that it is told of. Left out: its id. */
  readonly nameInHosts?: string;
  /** What the IDE opens where its user has opened nothing yet, below the home. */
  readonly folder?: string;
  /** Variables of its processes beside those that the runtime sets, which are never replaced. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * What a start or the preparation before it waits for, as data. The engine's own words, if it has any, are the field `message`; what can be measured
 * has `done_bytes`, and `total_bytes` once that is known.
 */
export interface StartWaiting {
  readonly code: WaitingCode | PrepareStep;
  readonly fields: Fields;
  readonly since: Ms;
}

export type OnWaiting = (waiting: StartWaiting) => void;

export type WaitingCode =
  /** A node is being chosen for it. */
  | "scheduling"
  /** None can take it as things are. */
  | "no_node"
  | "attaching"
  /** Another node still has its disk. */
  | "disk_elsewhere"
  | "disk_refused"
  | "pulling"
  /** The IDE of this machine, once for all workspaces. */
  | "installing"
  /** What comes before its program: network, steps of ours. */
  | "preparing"
  /** Its program runs. */
  | "answering";
