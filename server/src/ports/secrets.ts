/** Where a sealed value belongs. One that is moved to any other place does not open there. */
export interface Place {
  /** Of whom it is. */
  readonly owner: string;
  /** `ssh`, `https`, `user`, or the id of a workspace. */
  readonly scope: string;
  /** A variable's name, or a credential's host. */
  readonly name: string;
  /** Of its row. */
  readonly id: string;
}

/** A value that only the key file opens. */
export interface Sealed {
  /** Which key of the file. */
  readonly keyId: string;
  /** The value's own key, sealed with the file's. */
  readonly wrapped: Uint8Array;
  /** The value, sealed with its own key. */
  readonly box: Uint8Array;
}

/** The key file at work. It is read again where a key is asked for that was not in it. */
export interface Sealer {
  /** Whether what this key sealed can be opened. */
  readonly has: (keyId: string) => Promise<boolean>;
  /** Null where that key is not in the file. */
  readonly seal: (keyId: string, place: Place, value: string) => Promise<Sealed | null>;
  /** Null where it does not open: its key is not in the file, or it is not what was sealed at this place. */
  readonly open: (place: Place, sealed: Sealed) => Promise<string | null>;
  /** The same value under another key of the file; null where it does not open, or that key is not there. */
  readonly rewrap: (keyId: string, place: Place, sealed: Sealed) => Promise<Sealed | null>;
}
