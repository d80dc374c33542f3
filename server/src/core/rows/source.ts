/** What to check out of a repository. */
export type SourceRef =
  | { readonly kind: "branch_or_tag"; readonly name: string }
  | { readonly kind: "commit"; readonly id: string }
  /** `/tree/a/b/c`: the longest leading part that is a branch or tag wins, the rest is a folder. */
  | { readonly kind: "path"; readonly path: string }
  /** A published ref of a pull or merge request, and the local branch's name. */
  | { readonly kind: "pull"; readonly ref: string; readonly branch: string };

/** A repository as a person named it, read and found harmless. */
export interface RepositorySource {
  /** As it was pasted, without blanks around it. */
  readonly address: string;
  /** What git is given: https://…, ssh://… or user@host:path, in the form that was pasted. */
  readonly cloneUrl: string;
  readonly protocol: "https" | "ssh" | "http";
  /** With the port where it is not the usual one. */
  readonly host: string;
  /** `host/path` without `.git`, host in lower case: the same repository has the same key. */
  readonly key: string;
  /** What to check out; null: whatever the host's default branch is. */
  readonly ref: SourceRef | null;
  /** The folder below the home that it is cloned into: [A-Za-z0-9._-], not beginning with a dot or dash. */
  readonly folder: string;
}
