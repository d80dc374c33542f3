/**
 * Which host is what. The one rule: bytes of a workspace are never served from the dashboard's origin. Hosts are
 * compared whole and exactly; a prefix, suffix or pattern match here would hand sessions to strangers.
 */
export interface OriginSettings {
  /** The dashboard's own address. */
  readonly baseUrl: URL;
  /** `scheme://{id}.domain[:port]`; `{id}` is the whole first label. */
  readonly workspaceBaseUrl: string;
  /** Accepts a workspace domain that browsers treat as the same site as the dashboard. */
  readonly allowSameSite: boolean;
  /** Serves workspaces under the dashboard's own origin. Nothing makes that safe. */
  readonly unsafeSingleOrigin: boolean;
}

export type HostMatch =
  | { readonly kind: "dashboard" }
  | { readonly kind: "probe" }
  | {
      readonly kind: "workspace";
      readonly workspaceId: string;
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
  match(host: string | undefined): HostMatch | null;
  workspace(workspaceId: string, port: number | null): WorkspaceHost;
}

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const LABEL = new RegExp(`^(?:([1-9][0-9]{0,4})--)?(${UUID})$`);
export const WORKSPACE_ID: RegExp = new RegExp(`^${UUID}$`);

const PATTERN = /^(https?):\/\/\{id\}\.([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(:[0-9]{1,5})?\/?$/;

/** Remembered answers; a client that sends random hosts only fills what is thrown away whole. */
const MEMORY = 10_000;

export function createOrigins(settings: OriginSettings): Origins {
  const { scheme, domain, host: suffix } = parsePattern(settings.workspaceBaseUrl);
  refuseSharedSite(settings, domain);
  const dashboard = settings.baseUrl.origin;
  const seen = new Map<string, HostMatch>();

  const workspace = (workspaceId: string, port: number | null): WorkspaceHost => {
    const host = `${port === null ? "" : `${port}--`}${workspaceId}.${suffix}`;
    return { kind: "workspace", workspaceId, port, host, origin: `${scheme}://${host}` };
  };

  const recognise = (host: string): HostMatch | null => {
    if (host === settings.baseUrl.host) return { kind: "dashboard" };
    if (settings.unsafeSingleOrigin || !host.endsWith(`.${suffix}`)) return null;
    const label = host.slice(0, -suffix.length - 1);
    if (label === "probe") return { kind: "probe" };
    const [, port, id] = LABEL.exec(label) ?? [];
    if (id === undefined || Number(port ?? 1) > 65_535) return null;
    return workspace(id, port === undefined ? null : Number(port));
  };

  return {
    dashboard,
    secure: scheme === "https",
    singleOrigin: settings.unsafeSingleOrigin,
    probeUrl: `${scheme}://probe.${suffix}/.codehub/probe`,
    workspace,
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

function parsePattern(pattern: string): { scheme: string; domain: string; host: string } {
  const [, scheme, domain, port] = PATTERN.exec(pattern) ?? [];
  if (scheme === undefined || domain === undefined || domain.includes("..")) {
    throw new Error(
      `WORKSPACE_BASE_URL "${pattern}" is not usable: it must look like https://{id}.example.net, with {id} as the whole first label and no path.`,
    );
  }
  // Browsers leave the default port out of Host, so it is left out here too.
  const { host } = new URL(`${scheme}://x.${domain}${port ?? ""}`);
  return { scheme, domain, host: host.slice(2) };
}

/**
 * Browsers send Lax cookies between hosts of one site and let a host set cookies for its parents. `localhost` is the
 * exception: every name under it is a site of its own.
 */
function refuseSharedSite({ baseUrl, allowSameSite, unsafeSingleOrigin }: OriginSettings, domain: string): void {
  const dashboard = baseUrl.hostname;
  if (unsafeSingleOrigin || allowSameSite || domain === "localhost") return;
  if (site(dashboard) !== site(domain)) return;
  throw new Error(
    `Workspaces under ${domain} would share a site with the dashboard at ${dashboard}: a workspace could set cookies for it. ` +
      "Set WORKSPACE_BASE_URL to a name under another registered domain, or ALLOW_SAME_SITE=1 to accept it.",
  );
}

/** The registrable domain, guessed without the public suffix list; it errs towards "the same". */
function site(host: string): string {
  const labels = host.split(".");
  const publicSecondLevel =
    /^(?:ac|co|com|edu|gov|go|ne|net|or|org)$/.test(labels.at(-2) ?? "") && labels.at(-1)?.length === 2;
  return labels.slice(publicSecondLevel ? -3 : -2).join(".");
}
