/** Where homes lie while they are not archived. Layout: `.codehub/volume-id` (ours) and `home/` (the user's). */
export interface Volumes {
  /** Every volume of this deployment, in one call. */
  readonly list: () => Promise<VolumeSeen[]>;
  /** Null is a positive "not there"; a rejection is "not seen". */
  readonly inspect: (name: string) => Promise<VolumeSeen | null>;
  /**
   * Makes an empty volume with `home/` and no identity. Resolves to false, changing nothing, when the name exists. Where
   * volumes have sizes it has `atLeastBytes`.
   */
  readonly create: (spec: VolumeSpec) => Promise<boolean>;
  /**
   * Null where volumes have no sizes. Elsewhere: asks that this one may hold so much; one that has it already stays as it
   * is. Rejects with ActionFailed, in words, where the storage cannot or may not. It has grown at its next use at the latest.
   */
  readonly grow: ((name: string, bytes: number) => Promise<void>) | null;
  /** Writes the identity file, last and synced: from here on the volume is whole. */
  readonly seal: (name: string, identity: VolumeIdentity) => Promise<void>;
  /** Null when there is none: the volume was never finished. */
  readonly identity: (name: string) => Promise<VolumeIdentity | null>;
  /** Resolves when it is positively gone; refuses (rejects) while any container references it. */
  readonly remove: (name: string) => Promise<void>;
  /** Of the file system volumes are made on. */
  readonly freeSpace: () => Promise<{ freeBytes: number; totalBytes: number }>;
}

export interface VolumeSpec {
  readonly name: string;
  readonly workspaceId: string;
  readonly attempt: string;
  readonly atLeastBytes?: number;
}

export interface VolumeSeen {
  readonly name: string;
  readonly workspaceId: string;
  readonly attempt: string;
}

export interface VolumeIdentity {
  readonly workspaceId: string;
  readonly attempt: string;
  /** What it was restored from, or null for a home that was provisioned empty. */
  readonly archiveKey: string | null;
  readonly manifestDigest: string | null;
}
