import type { Reason } from "#core/rows/meaning.ts";
import type { RepositorySource } from "#core/rows/source.ts";

/** An address taken apart, before anything is made of its path. */
export interface Target {
  readonly protocol: RepositorySource["protocol"];
  /** Of ssh only. */
  readonly user: string;
  /** In lower case, with the port where it is not the usual one. */
  readonly host: string;
  /** Decoded, without empty ones. */
  readonly parts: readonly string[];
  readonly query: ReadonlyMap<string, string>;
  readonly fragment: string | null;
  /** `user@host:path`, whose path begins in the home of that user unless it begins with a slash. */
  readonly isScp: boolean;
  readonly isAbsolute: boolean;
}

export const isRefusal = (value: object | null): value is Reason => value !== null && "code" in value;

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i;
const SCP = /^([^@/:]+)@([^@/:]+):(.*)$/;
/** Names of programs that git would run for an address. */
const HELPER = /^([a-z0-9+.-]+)::/i;
const LOCAL = /^(\/|\.|~|[a-z]:[\\/]|file:)/i;
const LABEL = "[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?";
const HOST = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[0-9a-f:.]{2,45}\\])$`);
const USER = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;
const USUAL_PORT = { https: 443, http: 80, ssh: 22 } as const;
const PROTOCOLS: Readonly<Record<string, Target["protocol"]>> = {
  https: "https",
  "git+https": "https",
  http: "http",
  ssh: "ssh",
  "git+ssh": "ssh",
  "ssh+git": "ssh",
};
/** Names of parameters and beginnings of user names by which hosts pass tokens. */
const TOKEN_PARAMETER = /token|secret|passw|auth|credential|api_?key/i;
const TOKEN_AS_USER =
  /^(gh[a-z]_|github_pat_|gl[a-z]+-|ATBB|ATCTT|x-token-auth|x-access-token|oauth2?$)|^[A-Za-z0-9_-]{30,}$/;

export function readTarget(text: string, httpHosts: readonly string[]): Target | Reason {
  if (text.startsWith("-")) return { code: "option" };
  const helper = HELPER.exec(text);
  if (helper !== null) return { code: "protocol", fields: { protocol: `${helper[1]?.toLowerCase()}::` } };
  if (LOCAL.test(text)) return { code: "local" };
  if (/\s/.test(text)) return { code: "blanks" };
  if (text.includes("\\")) return { code: "characters" };
  const scheme = SCHEME.exec(text);
  if (scheme !== null) return readUrl(scheme[1]?.toLowerCase() ?? "", scheme[2] ?? "", httpHosts);
  const scp = SCP.exec(text);
  if (scp !== null) return readScp(scp[1] ?? "", scp[2] ?? "", scp[3] ?? "");
  const [host = ""] = text.split(/[/?#]/);
  const looksLikeHost = /\.[a-z0-9-]+(:[0-9]+)?$|^localhost(:[0-9]+)?$|:[0-9]+$/i.test(host);
  if (looksLikeHost) return readUrl("https", text, httpHosts);
  return /^[^/@]+:/.test(text) ? { code: "ssh_user" } : { code: "no_host" };
}

function readUrl(scheme: string, rest: string, httpHosts: readonly string[]): Target | Reason {
  const protocol = Object.hasOwn(PROTOCOLS, scheme) ? PROTOCOLS[scheme] : undefined;
  if (protocol === undefined) return { code: "protocol", fields: { protocol: `${scheme}://` } };
  const [, authority = "", path = "", search = "", hash] = /^([^/?#]*)([^?#]*)(\?[^#]*)?(?:#(.*))?$/.exec(rest) ?? [];
  const at = authority.lastIndexOf("@");
  const host = readHost(protocol, authority.slice(at + 1));
  if (host === null) return { code: "host" };
  const user = at < 0 ? null : authority.slice(0, at);
  const refusal = refuseAuthority(protocol, user, host, search, httpHosts);
  if (refusal !== null) return refusal;
  const parts = decodeAll(path.split("/"));
  const query = readQuery(search);
  const fragment = hash === undefined ? [] : decodeAll([hash]);
  if (isRefusal(parts)) return parts;
  if (isRefusal(fragment)) return fragment;
  const shared = { query, fragment: fragment[0] ?? null, isScp: false, isAbsolute: true };
  return { protocol, user: user ?? "", host, parts: parts.filter((part) => part !== ""), ...shared };
}

/** Whatever could be a secret, or would be sent in the clear. */
function refuseAuthority(
  protocol: Target["protocol"],
  user: string | null,
  host: string,
  search: string,
  httpHosts: readonly string[],
): Reason | null {
  const fields = { host };
  const asUser = protocol !== "ssh" && user !== null && TOKEN_AS_USER.test(user);
  const inQuery = search.split(/[?&]/).some((pair) => TOKEN_PARAMETER.test(pair.split("=")[0] ?? ""));
  if (user?.includes(":") === true || /%3a/i.test(user ?? "") || asUser || inQuery) return { code: "password", fields };
  if (protocol === "http" && !httpHosts.includes(host)) return { code: "http", fields };
  if (protocol !== "ssh") return null;
  if (user === null) return { code: "ssh_user" };
  return USER.test(user) ? null : { code: "characters" };
}

/** Of `user@host:path` nothing is decoded, and a port cannot be said. */
function readScp(user: string, name: string, rest: string): Target | Reason {
  if (/^\/\//.test(rest)) return { code: "host" };
  const host = readHost("ssh", name);
  if (host === null) return { code: "host" };
  if (!USER.test(user)) return { code: "characters" };
  const [, path = "", hash] = /^([^#]*)(?:#(.*))?$/.exec(rest) ?? [];
  if (/[%?]/.test(path)) return { code: "characters" };
  const parts = path.split("/").filter((part) => part !== "");
  const shared = { query: new Map(), fragment: hash ?? null, isScp: true, isAbsolute: path.startsWith("/") };
  return { protocol: "ssh", user, host, parts, ...shared };
}

function readHost(protocol: Target["protocol"], text: string): string | null {
  const [, name = "", port] = /^(.*?)(?::([0-9]{1,5}))?$/.exec(text.toLowerCase()) ?? [];
  const number = port === undefined ? USUAL_PORT[protocol] : Number(port);
  if (name.length > 253 || !HOST.test(name) || number < 1 || number > 65_535) return null;
  return number === USUAL_PORT[protocol] ? name : `${name}:${number}`;
}

function decodeAll(parts: readonly string[]): readonly string[] | Reason {
  try {
    const decoded = parts.map((part) => decodeURIComponent(part));
    return decoded.some((part) => /\p{C}/u.test(part)) ? { code: "hidden_characters" } : decoded;
  } catch {
    return { code: "characters" };
  }
}

function readQuery(search: string): ReadonlyMap<string, string> {
  const pairs = search
    .slice(1)
    .split("&")
    .flatMap((pair): [string, string][] => {
      const [name = "", value = ""] = pair.split("=");
      const decoded = decodeAll([value.replaceAll("+", " ")]);
      return isRefusal(decoded) ? [] : [[name, decoded[0] ?? ""]];
    });
  return new Map(pairs);
}
