import type { Fields, Reason } from "./meaning.ts";
import type { Address, Ms } from "./workspace.ts";

/** One look at the world for one workspace. Each part was either seen or not; "not seen" is not "not there". */
export interface Observation {
  readonly at: Ms;
  /** Of the volume named in the row; not looked for when the row names none. */
  readonly volume: Seen<boolean>;
  /** Every container that carries this workspace's label, also created and exited ones. */
  readonly containers: Seen<readonly ContainerSeen[]>;
  /** Of the object at exactly the row's key; null when it was not this observation's business. */
  readonly archive: Seen<ArchiveSeen> | null;
}

export type Seen<T> = { readonly known: true; readonly value: T } | Unseen;

/** Why it was not seen: a code with its fields where it is one of ours, and what was said by who was asked. */
export interface Unseen {
  readonly known: false;
  readonly why: string;
  readonly fields?: Fields;
}

export const seen = <T>(value: T): Seen<T> => ({ known: true, value });
export const unseen = (why: string, fields?: Fields): Unseen => ({
  known: false,
  why,
  ...(fields === undefined ? {} : { fields }),
});

export interface ContainerSeen {
  readonly id: string;
  readonly workspaceId: string;
  /** The volume it references, from its mounts; null when it has none of ours. */
  readonly volume: string | null;
  readonly attempt: string | null;
  readonly state: "created" | "running" | "exited";
  readonly address: Address | null;
  readonly exitCode: number | null;
  /**
   * Why it ended, where it was not its program that did: the engine took it away, or its machine went. Beside a state
   * other than `exited`: it is being taken away, which nothing stops any more.
   */
  readonly ended?: Reason;
  /** The machine it is on, where the engine hears nothing from that: nobody knows whether it still writes. */
  readonly silentNode?: string;
}

export type ArchiveSeen =
  | { readonly readable: true }
  | {
      readonly readable: false;
      readonly reason: "ArchiveCorrupted" | "ArchiveNotFound";
      readonly fields: Fields;
    };
