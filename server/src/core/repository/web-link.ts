import type { Reason } from "#core/rows/meaning.ts";
import type { SourceRef } from "#core/rows/source.ts";
import { commitRef, isCommit, isNumber, namedRef, pathRef } from "./ref-name.ts";

/** An https address, taken apart; every part is decoded. */
export interface WebAddress {
  readonly host: string;
  readonly parts: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

export interface LinkedPlace {
  /** The path of the repository itself. */
  readonly repository: readonly string[];
  readonly ref: SourceRef | null;
}

type Found = LinkedPlace | Reason;
/** What stands behind the repository in a link; "unknown" where it says nothing of what to check out. */
type Tail = SourceRef | Reason | "unknown";

const BAD_REF = { code: "ref" } as const satisfies Reason;
const pull = (ref: string, branch: string): SourceRef => ({ kind: "pull", ref, branch });

/** Hosts where a repository is always `owner/name`, so that whatever else follows is a page of it. */
const OWNER_AND_NAME = new Set(["github.com", "bitbucket.org", "codeberg.org"]);
/** Words that no repository or group is called, because its host needs them for such links. */
const PAGES_WITH_REF = new Set(["tree", "blob", "raw", "blame", "edit", "commits"]);
const GITEA_PAGES = new Set(["src", "raw", "commits", "blame", "media"]);

/** Which repository a link of GitHub, GitLab, Bitbucket or Gitea speaks of, and which state of it. */
export function readWebLink(address: WebAddress): Found {
  const { host, parts } = address;
  const server = bitbucketServer(address);
  if (server !== null) return server;
  const end = endOfRepository(host, parts);
  const repository = parts.slice(0, end);
  const tail = readTail(host, parts.slice(end));
  if (tail === "unknown") return { repository, ref: null };
  return "code" in tail ? tail : { repository, ref: tail };
}

const isWithEnding = (part: string): boolean => part.length > 4 && part.endsWith(".git");

/** After how many parts the repository's own path ends. */
function endOfRepository(host: string, parts: readonly string[]): number {
  const ending = parts.findIndex(isWithEnding);
  if (ending >= 0) return ending + 1;
  if (OWNER_AND_NAME.has(host)) return 2;
  const page = parts.findIndex((_, at) => at >= 2 && readTail(host, parts.slice(at)) !== "unknown");
  const dash = parts.indexOf("-", 2);
  const ends = [page, dash].filter((at) => at >= 0);
  return ends.length === 0 ? parts.length : Math.min(...ends);
}

function readTail(host: string, tail: readonly string[]): Tail {
  const [word = "", next, third] = tail;
  if (word === "-") return readGitlabTail(tail.slice(1));
  if (next === undefined) return "unknown";
  if (word === "pull-requests" && isNumber(next)) return { code: "pull_without_ref", fields: { host } };
  if (host === "bitbucket.org" && word === "src") return pathRef(tail.slice(1)) ?? BAD_REF;
  if (host === "bitbucket.org" && word === "branch") return namedRef(tail.slice(1).join("/")) ?? BAD_REF;
  if ((word === "pull" || word === "pulls") && isNumber(next)) return pull(`refs/pull/${next}/head`, `pr-${next}`);
  if (word === "releases" && next === "tag") return namedRef(tail.slice(2).join("/")) ?? BAD_REF;
  if (GITEA_PAGES.has(word) && third !== undefined) {
    if (next === "branch" || next === "tag") return pathRef(tail.slice(2)) ?? BAD_REF;
    if (next === "commit") return commitRef(third) ?? BAD_REF;
  }
  return readCommonTail(tail);
}

function readGitlabTail(tail: readonly string[]): Tail {
  const [word = "", next] = tail;
  if (next === undefined) return "unknown";
  return word === "tags" ? (namedRef(tail.slice(1).join("/")) ?? BAD_REF) : readCommonTail(tail);
}

/** What several hosts write alike. */
function readCommonTail([word = "", next = "", ...rest]: readonly string[]): Tail {
  const isHistory = word === "commits" && rest.length === 0;
  if ((word === "commit" || isHistory) && isCommit(next)) return commitRef(next) ?? BAD_REF;
  if (word === "merge_requests" && isNumber(next)) return pull(`refs/merge-requests/${next}/head`, `mr-${next}`);
  if (PAGES_WITH_REF.has(word) && next !== "") return pathRef([next, ...rest]) ?? BAD_REF;
  return "unknown";
}

/** Bitbucket Server shows a repository at `/projects/KEY/repos/name` and gives it away at `/scm/key/name.git`. */
function bitbucketServer({ host, parts, query }: WebAddress): Found | null {
  const at = parts.findIndex(
    (part, index) => (part === "projects" || part === "users") && parts[index + 2] === "repos",
  );
  const [kind, owner, , name, page, number] = parts.slice(Math.max(at, 0));
  if (at < 0 || owner === undefined || name === undefined || OWNER_AND_NAME.has(host)) return null;
  if (parts.slice(0, at + 2).some(isWithEnding)) return null;
  const project = kind === "users" ? `~${owner}` : owner.toLowerCase();
  const repository = [...parts.slice(0, at), "scm", project, name.endsWith(".git") ? name : `${name}.git`];
  if (page === "pull-requests" && isNumber(number))
    return { repository, ref: pull(`refs/pull-requests/${number}/from`, `pr-${number}`) };
  if (page === "commits" && isCommit(number)) return { repository, ref: commitRef(number) };
  const wanted = query.get("at") ?? query.get("until");
  if (wanted === undefined) return { repository, ref: null };
  const ref = namedRef(wanted.replace(/^refs\/(heads|tags)\//, ""));
  return ref === null ? BAD_REF : { repository, ref };
}
