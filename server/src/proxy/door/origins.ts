import { isAddress, nameInHosts } from "#core/rows/address.ts";
import type { Workspace } from "#core/rows/workspace.ts";

/**
 * Which host is what. The one rule: bytes of a workspace are never served from the dashboard's origin. Hosts are
 * compared whole and exactly; a prefix, suffix or pattern match here would hand sessions to strangers.
 */
export interface OriginSettings {
  /** The dashboard's own address. */
  readonly baseUrl: URL;
  /** `scheme://{id}.domain[:port]`; `{id}` is the whole first label. */
  readonly workspaceBaseUrl: string;
  /** Serves workspaces under the dashboard's own origin. Nothing makes that safe. */
  readonly unsafeSingleOrigin: boolean;
}

export type HostMatch =
  | { readonly kind: "dashboard" }
  | { readonly kind: "probe" }
  | {
      readonly kind: "workspace";
      /** A workspace's id or an address in words. Whose, and whether it is the one it has now, its row says. */
      readonly name: string;
      /** A forwarded port, or null for the IDE. */
      readonly port: number | null;
      readonly host: string;
      readonly origin: string;
    };

export type WorkspaceHost = Extract<HostMatch, { kind: "workspace" }>;

export interface Origins {
  readonly dashboard: string;
  readonly secure: boolean;
  readonly singleOrigin: boolean;
  readonly probeUrl: string;
  readonly match: (host: string | undefined) => HostMatch | null;
  /** Where a workspace is served now, and nowhere else. */
  readonly workspace: (row: Pick<Workspace, "id" | "address">, port: number | null) => WorkspaceHost;
  /** The addresses of its ports as the IDE is told them, with `{{port}}` for the number. */
  readonly ports: (name: string) => string;
}

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const WORKSPACE_ID: RegExp = new RegExp(`^${UUID}$`);
const PORT = /^([1-9][0-9]{0,4})--(.*)$/;

export const isWorkspaceId = (name: string): boolean => WORKSPACE_ID.test(name);
/** What may stand for a workspace, in a host name and at the door. */
export const isName = (name: string): boolean => isWorkspaceId(name) || isAddress(name);

const PATTERN = /^(https?):\/\/\{id\}\.([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(:[0-9]{1,5})?\/?$/;

/** Remembered answers; a client that sends random hosts only fills what is thrown away whole. */
const MEMORY = 10_000;

export function createOrigins(settings: OriginSettings): Origins {
  const { scheme, host: suffix } = parsePattern(settings.workspaceBaseUrl);
  const dashboard = settings.baseUrl.origin;
  const seen = new Map<string, HostMatch>();

  const named = (name: string, port: number | null): WorkspaceHost => {
    const host = `${port === null ? "" : `${port}--`}${name}.${suffix}`;
    return { kind: "workspace", name, port, host, origin: `${scheme}://${host}` };
  };

  const recognise = (host: string): HostMatch | null => {
    if (host === settings.baseUrl.host) return { kind: "dashboard" };
    if (settings.unsafeSingleOrigin || !host.endsWith(`.${suffix}`)) return null;
    const label = host.slice(0, -suffix.length - 1);
    if (label === "probe") return { kind: "probe" };
    const [, port, name = label] = PORT.exec(label) ?? [];
    if (!isName(name) || Number(port ?? 1) > 65_535) return null;
    return named(name, port === undefined ? null : Number(port));
  };

  return {
    dashboard,
    secure: scheme === "https",
    singleOrigin: settings.unsafeSingleOrigin,
    probeUrl: `${scheme}://probe.${suffix}/.codehub/probe`,
    workspace: (row, port) => named(nameInHosts(row), port),
    ports: (name) => `${scheme}://{{port}}--${name}.${suffix}`,
    match(host) {
      if (host === undefined) return null;
      const known = seen.get(host);
      if (known !== undefined) return known;
      const match = recognise(host);
      if (match !== null) {
        if (seen.size >= MEMORY) seen.clear();
        seen.set(host, match);
      }
      return match;
    },
  };
}

function parsePattern(pattern: string): { scheme: string; host: string } {
  const [, scheme, domain, port] = PATTERN.exec(pattern) ?? [];
  if (scheme === undefined || domain === undefined || domain.includes("..")) {
    throw new Error(
      `WORKSPACE_BASE_URL "${pattern}" is not usable: it must look like https://{id}.example.net, with {id} as the whole first label and no path.`,
    );
  }
  // Browsers leave the default port out of Host, so it is left out here too.
  const { host } = new URL(`${scheme}://x.${domain}${port ?? ""}`);
  return { scheme, host: host.slice(2) };
}
