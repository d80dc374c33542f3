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

export type Seen<T> = { readonly known: true; readonly value: T } | { readonly known: false; readonly why: string };

export const seen = <T>(value: T): Seen<T> => ({ known: true, value });
export const unseen = <T>(why: string): Seen<T> => ({ known: false, why });

export interface ContainerSeen {
  readonly id: string;
  readonly workspaceId: string;
  /** The volume it references, from its mounts; null when it has none of ours. */
  readonly volume: string | null;
  readonly attempt: string | null;
  readonly state: "created" | "running" | "exited";
  readonly address: Address | null;
  readonly exitCode: number | null;
}

export type ArchiveSeen =
  | { readonly readable: true }
  | {
      readonly readable: false;
      readonly reason: "ArchiveCorrupted" | "ArchiveNotFound";
      readonly message: string;
    };
