import { listedControlPlane } from "./control-plane.ts";
import { sharesSite } from "./same-site.ts";
import type { Variable } from "./variable.ts";
import { DERIVED_DEFAULTS, ROLES, VARIABLES, type Values, type VariableName } from "./variables.ts";

export interface Config extends Omit<Values, "BASE_URL" | "WORKSPACE_BASE_URL" | "DATA_DIR" | "ROLES"> {
  readonly DATA_DIR: string;
  readonly BASE_URL: string | null;
  readonly WORKSPACE_BASE_URL: string | null;
  readonly ROLES: readonly (typeof ROLES)[number][];
}

/** Everything that is wrong, not only the first thing. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

export interface Surroundings {
  readonly isRoot: boolean;
  readonly homeDir: string;
}

/** The environment as one frozen, validated object. */
export function readConfig(env: Readonly<Record<string, string | undefined>>, around: Surroundings): Config {
  const problems: string[] = [];
  const isProduction = env["NODE_ENV"] === "production";
  const values = Object.fromEntries(
    Object.entries<Variable<unknown>>(VARIABLES).map(([name, variable]) => [
      name,
      read(
        name,
        isProduction ? { ...variable, fallback: variable.inProduction ?? variable.fallback } : variable,
        env[name],
        problems,
      ),
    ]),
  ) as Values;
  if (problems.length > 0) throw new ConfigError(problems);
  const { DATA_DIR } = DERIVED_DEFAULTS;
  const config: Config = {
    ...values,
    DATA_DIR: values.DATA_DIR ?? (around.isRoot ? DATA_DIR.asRoot : DATA_DIR.otherwise.replace("~", around.homeDir)),
    ROLES: values.ROLES.includes("all") ? ROLES : ROLES.filter((role) => values.ROLES.includes(role)),
  };
  problems.push(...contradictions(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

export interface Addresses {
  readonly baseUrl: string;
  readonly workspaceBaseUrl: string;
}

/** Where people find dashboard and workspaces. The port is the one that is listened on, also where PORT is 0. */
export function addressesOf(config: Pick<Config, "BASE_URL" | "WORKSPACE_BASE_URL">, port: number): Addresses {
  const local = (pattern: string): string => pattern.replace("PORT", String(port));
  return {
    baseUrl: config.BASE_URL ?? local(DERIVED_DEFAULTS.BASE_URL),
    workspaceBaseUrl: config.WORKSPACE_BASE_URL ?? local(DERIVED_DEFAULTS.WORKSPACE_BASE_URL),
  };
}

function read<T>(name: string, variable: Variable<T>, value: string | undefined, problems: string[]): T | null {
  const text = value === undefined || value === "" ? variable.fallback : value;
  if (text === undefined) return null;
  const parsed = variable.parse(text);
  if (parsed === undefined && variable.explain !== undefined) {
    problems.push(...variable.explain(text).map((mistake) => `${name} is not allowed: ${mistake}`));
    return null;
  }
  if (parsed === undefined) {
    problems.push(`${name}=${variable.secret ? "(hidden)" : text} is not allowed: it must be ${variable.allowed}.`);
    return null;
  }
  return parsed;
}

/** Relations between values: each alone may be right and both together wrong. */
function contradictions(config: Config): string[] {
  const problems: string[] = [];
  if (config.HOST_PORTS_FROM > config.HOST_PORTS_TO) {
    problems.push(`HOST_PORTS_FROM=${config.HOST_PORTS_FROM} must not be above HOST_PORTS_TO=${config.HOST_PORTS_TO}.`);
  }
  if (config.S3_BUCKET !== null && (config.S3_ACCESS_KEY_ID === null || config.S3_SECRET_ACCESS_KEY === null)) {
    problems.push("S3_BUCKET is set: S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set too.");
  }
  if (config.RUNTIME === "kubernetes" && config.S3_BUCKET === null) {
    problems.push(
      "RUNTIME=kubernetes needs an object store that its nodes reach, because homes are sent there by the nodes themselves: set S3_BUCKET and the other S3_ variables.",
    );
  }
  if (config.KUBERNETES_REQUEST_CPUS > config.WORKSPACE_CPUS) {
    problems.push(
      `KUBERNETES_REQUEST_CPUS=${config.KUBERNETES_REQUEST_CPUS} must not be above WORKSPACE_CPUS=${config.WORKSPACE_CPUS}.`,
    );
  }
  if (config.KUBERNETES_REQUEST_MEMORY > config.WORKSPACE_MEMORY) {
    problems.push(
      `KUBERNETES_REQUEST_MEMORY=${config.KUBERNETES_REQUEST_MEMORY} must not be above WORKSPACE_MEMORY=${config.WORKSPACE_MEMORY}.`,
    );
  }
  if (config.ROLES.length < ROLES.length && config.DATABASE_URL === null) {
    problems.push(
      `ROLES=${config.ROLES.join(",")} splits the program: DATABASE_URL must be set, so that its processes share one database.`,
    );
  }
  if (config.CONTROL_SOCKET !== null && config.ROLES.includes("api") === config.ROLES.includes("proxy")) {
    problems.push(
      `CONTROL_SOCKET is between an API and a proxy in processes of their own: ROLES=${config.ROLES.join(",")} is both or neither.`,
    );
  }
  if (config.METRICS_TOKEN !== null && !/^[\w.~+/=-]{16,}$/.test(config.METRICS_TOKEN)) {
    problems.push("METRICS_TOKEN must be 16 or more letters, digits or . _ ~ + / = - without spaces.");
  }
  if (config.SMTP_URL !== null && (config.NOTICE_MAIL_FROM === null || config.NOTICE_MAIL_TO.length === 0)) {
    problems.push("SMTP_URL is set: NOTICE_MAIL_FROM and NOTICE_MAIL_TO must be set too, or nobody gets a mail.");
  }
  problems.push(...listedControlPlane(config.WORKSPACE_ALLOWED_NETWORKS, config));
  problems.push(...originProblems(config));
  return problems;
}

function originProblems(config: Config): string[] {
  if (config.WORKSPACE_BASE_URL === null) return [];
  if (config.BASE_URL === null) return ["WORKSPACE_BASE_URL is set: BASE_URL must be set too."];
  // Where everything is one origin no workspace is served there.
  if (config.ALLOW_SAME_SITE || config.UNSAFE_SINGLE_ORIGIN) return [];
  if (!sharesSite(config.BASE_URL, config.WORKSPACE_BASE_URL)) return [];
  return [
    `WORKSPACE_BASE_URL=${config.WORKSPACE_BASE_URL} shares a site with the dashboard at BASE_URL=${config.BASE_URL}: a workspace could then set cookies for the dashboard. Set WORKSPACE_BASE_URL to a name under another registered domain, or accept weaker isolation with ALLOW_SAME_SITE=1.`,
  ];
}

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(shownValue).join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The effective values for a person to read. */
export function describeConfig(config: Config): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name of Object.keys(VARIABLES) as VariableName[]) {
    const value = config[name];
    const variable: Variable<unknown> = VARIABLES[name];
    if (value === null) shown[name] = "";
    else if (variable.secret) shown[name] = "********";
    else shown[name] = variable.show?.(value) ?? shownValue(value);
  }
  return shown;
}
