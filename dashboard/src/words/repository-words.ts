import type { Repository, RepositoryRef } from "@codehub/contract";

/** What of a repository is got, as people say it. */
export function refWords(ref: RepositoryRef | null): string {
  switch (ref?.kind) {
    case undefined:
      return "its default branch";
    case "branch_or_tag":
      return `the branch or tag ${ref.name}`;
    case "commit":
      return `the commit ${shortCommit(ref.id)}`;
    case "path":
      return `the branch or tag and the folder in ${ref.path}`;
    case "pull":
      return `the ${ref.ref.startsWith("refs/merge-requests/") ? "merge" : "pull"} request ${numberOf(ref.ref)}, as the branch ${ref.branch}`;
  }
}

const numberOf = (ref: string): string => /\d+/.exec(ref)?.[0] ?? ref;

const full = /^[0-9a-f]{40,}$/;
export const shortCommit = (id: string): string => (full.test(id) ? id.slice(0, 10) : id);

/** The path below the host, without what every address has. */
export const pathOfKey = ({ host, key }: Pick<Repository, "host" | "key">): string =>
  key.startsWith(`${host}/`) ? key.slice(host.length + 1) : key;

const ofKeys: ReadonlySet<string> = new Set(["needs_sign_in", "credential_refused", "forbidden", "key_unknown"]);

/** Whether another key or credential is what it takes. */
export const isAboutKeys = (code: string): boolean => ofKeys.has(code);

/** A link that opens the dialog with this repository filled in, and changes nothing by itself. */
const linkTo = (origin: string, address: string): string =>
  // Parentheses would end a link in Markdown.
  `${origin}/new?repo=${encodeURIComponent(address).replaceAll(/[()'*!]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)}`;

/** Where others can have it from; a line of commands that somebody pasted is no address for a README. */
const addressForOthers = ({ address, clone_url: cloneUrl }: { address: string; clone_url: string }): string =>
  /^https:\/\/\S+$/.test(address) ? address : cloneUrl;

/** "Open in CodeHub" for a README. */
export const badgeMarkdown = (origin: string, repository: { address: string; clone_url: string }): string =>
  `[![Open in CodeHub](${origin}/badge.svg)](${linkTo(origin, addressForOthers(repository))})`;
