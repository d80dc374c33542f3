/** What a workspace is given of its owner's own. Only the coordinator opens it, for one start, one preparation or one test. */
export interface Keyring {
  readonly open: (whose: KeyringQuery) => Promise<Keys>;
  /** One of them and nothing else: the SSH key, or the credential for exactly this host. Empty where it is not kept. */
  readonly openOne: (ownerId: string, which: OneKey) => Promise<Pick<Keys, "sshKey" | "credentials" | "locked">>;
}

export type OneKey = { readonly kind: "ssh" } | { readonly kind: "https"; readonly host: string };

export interface KeyringQuery {
  readonly ownerId: string;
  readonly workspaceId: string;
  /** `host/path` of its repository: secrets that are bound to others stay away. Null: it has none. */
  readonly repository: string | null;
  /** False: the person left keys and secrets out; git identity and plain variables only. */
  readonly withKeys: boolean;
}

export interface Keys {
  readonly git: { readonly name: string | null; readonly email: string | null };
  readonly sshKey: { readonly privateKey: string; readonly publicKey: string } | null;
  readonly credentials: readonly { readonly host: string; readonly username: string; readonly password: string }[];
  readonly variables: readonly { readonly name: string; readonly value: string }[];
  readonly dotfiles: { readonly address: string; readonly command: string | null } | null;
  /** Names of what is kept and cannot be opened, because the key that sealed it is not here. */
  readonly locked: readonly string[];
}
