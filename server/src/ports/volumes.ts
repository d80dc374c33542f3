/** Where homes lie while they are not archived. Layout: `.codehub/volume-id` (ours) and `home/` (the user's). */
export interface Volumes {
  /** Every volume of this deployment, in one call. */
  list(): Promise<VolumeSeen[]>;
  /** Null is a positive "not there"; a rejection is "not seen". */
  inspect(name: string): Promise<VolumeSeen | null>;
  /** Makes an empty volume with `home/` and no identity. Resolves to false, changing nothing, when the name exists. */
  create(spec: { name: string; workspaceId: string; attempt: string }): Promise<boolean>;
  /** Writes the identity file, last and synced: from here on the volume is whole. */
  seal(name: string, identity: VolumeIdentity): Promise<void>;
  /** Null when there is none: the volume was never finished. */
  identity(name: string): Promise<VolumeIdentity | null>;
  /** Resolves when it is positively gone; refuses (rejects) while any container references it. */
  remove(name: string): Promise<void>;
  /** Of the file system volumes are made on. */
  freeSpace(): Promise<{ freeBytes: number; totalBytes: number }>;
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
