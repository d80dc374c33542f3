import { isIP } from "node:net";
import { type AllowedNetwork, parseAllowedNetworks } from "./allowed-networks.ts";

/** How one environment variable is read, described and shown. `T` is what the program gets. */
export interface Variable<T> {
  readonly doc: string;
  /** In words, for the message about a wrong value and for the documentation. */
  readonly allowed: string;
  /** As it would be written in the environment; undefined means "not set". */
  readonly fallback: string | undefined;
  /** Instead of it where NODE_ENV is `production`: what is quick to see when trying out is a nuisance for people at work. */
  readonly inProduction?: string;
  readonly secret: boolean;
  /** Undefined for a value that is not allowed. */
  readonly parse: (text: string) => T | undefined;
  /** Where there is more to say of a wrong value than what is allowed: each mistake in it. */
  readonly explain?: (text: string) => readonly string[];
  /** As it would be written in the environment, where that is not plain. */
  readonly show?: (value: unknown) => string;
}

interface Options {
  readonly doc: string;
  readonly secret?: boolean;
  readonly inProduction?: number;
}

const variable = <T>(
  allowed: string,
  fallback: string | undefined,
  parse: Variable<T>["parse"],
  { doc, secret = false, inProduction }: Options,
): Variable<T> => ({
  allowed,
  fallback,
  parse,
  doc,
  secret,
  ...(inProduction === undefined ? {} : { inProduction: String(inProduction) }),
});

export function text(fallback: string, options: Options): Variable<string> {
  return variable("any text", fallback, (value) => value, options);
}

/** Text of a certain form, which `allowed` says in words. */
export function matching(pattern: RegExp, allowed: string, fallback: string, options: Options): Variable<string> {
  return variable(allowed, fallback, (value) => (pattern.test(value) ? value : undefined), options);
}

/** A variable that may be left out; then the program gets null. */
export function optional<T>(inner: Variable<T>): Variable<T | null> {
  return { ...inner, fallback: undefined };
}

export function whole(fallback: number, range: { from: number; to?: number }, options: Options): Variable<number> {
  const allowed =
    range.to === undefined ? `a whole number from ${range.from}` : `a whole number from ${range.from} to ${range.to}`;
  const parse = (value: string): number | undefined => {
    const number = Number(value);
    const inRange = number >= range.from && number <= (range.to ?? Number.MAX_SAFE_INTEGER);
    return /^\d+$/.test(value) && inRange ? number : undefined;
  };
  return variable(allowed, String(fallback), parse, options);
}

export function decimal(fallback: number, range: { from: number; to: number }, options: Options): Variable<number> {
  const parse = (value: string): number | undefined => {
    const number = Number(value);
    return /^\d+(\.\d+)?$/.test(value) && number >= range.from && number <= range.to ? number : undefined;
  };
  return variable(`a number from ${range.from} to ${range.to}`, String(fallback), parse, options);
}

/** Bytes, with an optional binary unit. */
export function bytes(fallback: string, options: Options): Variable<number> {
  const units: Record<string, number> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };
  const parse = (value: string): number | undefined => {
    const match = /^(\d+)([KMG]?)$/.exec(value);
    const unit = units[match?.[2] ?? ""];
    return match === null || unit === undefined ? undefined : Number(match[1]) * unit;
  };
  return variable("a number of bytes, or one with K, M or G", fallback, parse, options);
}

export function flag(fallback: boolean, options: Options): Variable<boolean> {
  const values: Record<string, boolean> = { "1": true, true: true, "0": false, false: false };
  return variable("1, true, 0 or false", fallback ? "1" : "0", (value) => values[value.toLowerCase()], options);
}

export function oneOf<const C extends string>(choices: readonly C[], fallback: C, options: Options): Variable<C> {
  const parse = (value: string): C | undefined => choices.find((choice) => choice === value);
  return variable(`one of ${choices.join(", ")}`, fallback, parse, options);
}

export function listOf<const C extends string>(
  choices: readonly C[],
  fallback: string,
  options: Options,
): Variable<readonly C[]> {
  const parse = (value: string): readonly C[] | undefined => {
    const found = value.split(",").map((part) => choices.find((choice) => choice === part.trim()));
    return found.includes(undefined) ? undefined : found.filter((part) => part !== undefined);
  };
  return variable(`a comma-separated list of ${choices.join(", ")}`, fallback, parse, options);
}

export function words(fallback: string, options: Options): Variable<readonly string[]> {
  return variable("a comma-separated list", fallback, partsOf, options);
}

/** Names of hosts, with a port where one is meant. */
export function hosts(options: Options): Variable<readonly string[]> {
  const parse = (value: string): readonly string[] | undefined => {
    const found = partsOf(value.toLowerCase()).map((part) => part.replace(/:80$/, ""));
    return found.every((part) => /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9._-]*[a-z0-9])?)(:[0-9]{1,5})?$/.test(part))
      ? found
      : undefined;
  };
  return variable("a comma-separated list of hosts like git.example.com:3000", "", parse, options);
}

/** A label's name: a prefix that may be missing, and a name. */
const LABEL = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/;

const partsOf = (value: string): string[] =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** Labels as `name=value`. */
export function labels(options: Options): Variable<Readonly<Record<string, string>>> {
  const parse = (value: string): Readonly<Record<string, string>> | undefined => {
    const pairs = partsOf(value).map((part) => part.split("="));
    const right = ([name = "", text, more]: string[]): boolean =>
      text !== undefined && more === undefined && LABEL.test(name) && LABEL_VALUE.test(text);
    return pairs.every(right) ? Object.fromEntries(pairs) : undefined;
  };
  return variable("a comma-separated list of labels like pool=workspaces", "", parse, options);
}

const HEADER = /^[\w!#$%&'*+.^`|~-]+$/;

/** Headers as `name=value`, percent-encoded where they have to be, as OpenTelemetry writes them. */
export function headers(options: Options): Variable<Readonly<Record<string, string>>> {
  const parse = (value: string): Readonly<Record<string, string>> | undefined => {
    const pairs = partsOf(value).map((part) =>
      /^([^=]+)=(.*)$/
        .exec(part)
        ?.slice(1, 3)
        .map((text) => text.trim()),
    );
    try {
      const found = pairs.map(([name = "", text = ""] = []) => [name, decodeURIComponent(text)] as const);
      const right = found.every(([name, text]) => HEADER.test(name) && /^[\t\x20-\x7e]*$/.test(text));
      return right ? Object.fromEntries(found) : undefined;
    } catch {
      return undefined;
    }
  };
  return variable("a comma-separated list of headers like authorization=Bearer%20abc", "", parse, options);
}

export interface Toleration {
  readonly key: string;
  readonly operator: "Equal" | "Exists";
  readonly value?: string;
  readonly effect?: string;
}

const TOLERATION = /^([^=:]+)(?:=([^:]*))?(?::(NoSchedule|PreferNoSchedule|NoExecute))?$/;

/** Taints that are put up with, as `kubectl taint` writes them. */
export function tolerations(options: Options): Variable<readonly Toleration[]> {
  const one = (part: string): Toleration | null => {
    const [, key = "", value, effect] = TOLERATION.exec(part) ?? [];
    if (!LABEL.test(key) || !LABEL_VALUE.test(value ?? "")) return null;
    const what = value === undefined ? ({ operator: "Exists" } as const) : ({ operator: "Equal", value } as const);
    return { key, ...what, ...(effect === undefined ? {} : { effect }) };
  };
  const parse = (value: string): readonly Toleration[] | undefined => {
    const found = partsOf(value).map(one);
    return found.includes(null) ? undefined : found.filter((each) => each !== null);
  };
  return variable("a comma-separated list of taints like pool=workspaces:NoSchedule", "", parse, options);
}

/** Networks as `address/prefix`. */
export function networks(options: Options): Variable<readonly string[]> {
  const isNetwork = (text: string): boolean => {
    const [address = "", prefix = "", more] = text.split("/");
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return more === undefined && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
  };
  const parse = (value: string): readonly string[] | undefined => {
    const found = partsOf(value);
    return found.every(isNetwork) ? found : undefined;
  };
  return variable("a comma-separated list of networks like 10.0.0.0/8", "", parse, options);
}

/** Networks and ports that workspaces may reach. */
export function allowedNetworks(options: Options): Variable<readonly AllowedNetwork[]> {
  const parse = (value: string): readonly AllowedNetwork[] | undefined => {
    const { networks, problems } = parseAllowedNetworks(value);
    return problems.length === 0 ? networks : undefined;
  };
  return {
    ...variable("a comma-separated list of networks and ports like 10.20.0.0/16:443", "", parse, options),
    explain: (value) => parseAllowedNetworks(value).problems,
    show: (value) => (value as readonly AllowedNetwork[]).map((each) => each.text).join(","),
  };
}

/** An absolute http(s) address without path, query or fragment; `pattern` may stand for a label in the host. */
export function origin(fallback: string, options: Options, pattern?: string): Variable<string> {
  const parse = (value: string): string | undefined => {
    const concrete = pattern === undefined ? value : value.replace(pattern, "placeholder");
    if (pattern !== undefined && concrete === value) return undefined;
    if (!URL.canParse(concrete)) return undefined;
    const url = new URL(concrete);
    const plain =
      ["http:", "https:"].includes(url.protocol) && url.pathname === "/" && url.search === "" && url.hash === "";
    return plain && url.username === "" ? value.replace(/\/$/, "") : undefined;
  };
  const shape =
    pattern === undefined
      ? "an http or https address without a path"
      : `an http or https address with ${pattern} as the first label of its host`;
  return variable(shape, fallback, parse, options);
}

/** As it is given to the IDE; of its members only the one without which there is no gallery is looked at. */
export function gallery(options: Options): Variable<string> {
  const parse = (value: string): string | undefined => {
    const service = serviceUrl(value);
    const isAddress = service !== null && URL.canParse(service) && /^https?:$/.test(new URL(service).protocol);
    return isAddress ? value : undefined;
  };
  return variable("JSON with an http or https address as `serviceUrl`", undefined, parse, options);
}

function serviceUrl(value: string): string | null {
  try {
    const { serviceUrl: address } = JSON.parse(value) as { readonly serviceUrl?: unknown };
    return typeof address === "string" ? address : null;
  } catch {
    return null;
  }
}

export function url(protocols: readonly string[], options: Options): Variable<string> {
  const parse = (value: string): string | undefined =>
    URL.canParse(value) && protocols.includes(new URL(value).protocol) ? value : undefined;
  return variable(
    `an address that begins with ${protocols.map((one) => `${one}//`).join(" or ")}`,
    undefined,
    parse,
    options,
  );
}
