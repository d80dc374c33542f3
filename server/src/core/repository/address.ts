import type { Reason } from "#core/rows/meaning.ts";
import type { RepositorySource, SourceRef } from "#core/rows/source.ts";
import { readCloneLine } from "./clone-line.ts";
import { namedRef } from "./ref-name.ts";
import { isRefusal, readTarget, type Target } from "./target.ts";
import { readWebLink } from "./web-link.ts";

export type ParsedRepository =
  | { readonly ok: true; readonly source: RepositorySource }
  | { readonly ok: false; readonly refusal: Reason };

export interface AddressPolicy {
  /** Hosts, with their port where it is not 80, that may be asked without encryption. */
  readonly httpHosts: readonly string[];
}

const LONGEST = 2048;
const LONGEST_FOLDER = 100;
const FOLDER = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;
/** Sections of a page that people copy along with its address. */
const PAGE_SECTION = /^(readme|readme-ov-file|L[0-9]+(-L?[0-9]+)?|lines-[0-9:-]+|diff-.*|note_.*|issuecomment-.*)$/i;

/**
 * What a person pasted, as git may be given it, or why not. This is the only way in: an address that did not pass here
 * never reaches git. A refusal names at most host and protocol, because the rest may hold a secret.
 */
export function parseRepository(text: string, policy: AddressPolicy = { httpHosts: [] }): ParsedRepository {
  const read = readSource(text, policy);
  return isRefusal(read) ? { ok: false, refusal: read } : { ok: true, source: read };
}

function readSource(text: string, policy: AddressPolicy): RepositorySource | Reason {
  const address = text.trim();
  if (address === "") return { code: "empty" };
  if (address.length > LONGEST) return { code: "too_long", fields: { max: LONGEST } };
  if (/\p{C}/u.test(address)) return { code: "hidden_characters" };
  const line = readCloneLine(address);
  if (isRefusal(line)) return line;
  const target = readTarget(line.target, policy.httpHosts);
  if (isRefusal(target)) return target;
  const place = placeOf(target);
  if (isRefusal(place)) return place;
  const ref = chosenRef(place, line.branch, target.fragment);
  if (isRefusal(ref)) return ref;
  const { protocol, host } = target;
  const folder = line.folder ?? folderOf(place.repository);
  if (!FOLDER.test(folder)) return { code: "folder" };
  return {
    address,
    cloneUrl: cloneUrl(target, place.repository),
    protocol,
    host,
    key: keyOf(host, place),
    ref,
    folder,
  };
}

interface Place {
  readonly repository: readonly string[];
  readonly ref: SourceRef | null;
}

function placeOf(target: Target): Place | Reason {
  const { host, parts, query } = target;
  const place = target.protocol === "ssh" ? { repository: parts, ref: null } : readWebLink({ host, parts, query });
  if (isRefusal(place)) return place;
  const { repository } = place;
  const least = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"].includes(host) ? 2 : 1;
  if (repository.some(isUnusable)) return { code: "characters" };
  return repository.length < least ? { code: "no_path", fields: { host } } : place;
}

/** Letters and digits of any script; nothing that a shell, a URL or an option could be made of. */
const isUnusable = (part: string): boolean =>
  part === "." || part === ".." || part.startsWith("-") || !/^[\p{L}\p{M}\p{N}._~+@=, -]+$/u.test(part);

/** A link says it best; then what was typed beside the address. */
function chosenRef(place: Place, branch: string | null, fragment: string | null): SourceRef | null | Reason {
  if (place.ref !== null) return place.ref;
  const isGit = place.repository.at(-1)?.endsWith(".git") === true;
  const section = fragment !== null && !isGit && PAGE_SECTION.test(fragment);
  const name = branch ?? (section ? null : fragment);
  return name === null || name === "" ? null : (namedRef(name) ?? { code: "ref" });
}

const withoutGit = (name: string): string => (name.length > 4 ? name.replace(/\.git$/, "") : name);

/** Ports are part of it: two servers on one machine are two, and a secret for one of them is not for the other. */
const keyOf = (host: string, { repository }: Place): string => `${host}/${withoutGit(repository.join("/"))}`;

function folderOf(repository: readonly string[]): string {
  const name = withoutGit(repository.at(-1) ?? "")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, LONGEST_FOLDER);
  return name === "" ? "project" : name;
}

/** Readable where it may be: these have no meaning of their own in a path. */
const encoded = (part: string): string =>
  encodeURIComponent(part).replaceAll(/%(40|2B|3D|2C)/g, (sign) => decodeURIComponent(sign));

/** Put together anew from what was understood, so that git cannot understand it in another way. */
function cloneUrl({ protocol, user, host, isScp, isAbsolute }: Target, repository: readonly string[]): string {
  if (isScp) return `${user}@${host}:${isAbsolute ? "/" : ""}${repository.join("/")}`;
  return `${protocol}://${protocol === "ssh" ? `${user}@` : ""}${host}/${repository.map(encoded).join("/")}`;
}
