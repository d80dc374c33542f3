import { type Finding, findingsOf } from "./finding.ts";

/** What people type, and what their browsers are then sent to. */
export interface AddressesSeen {
  readonly baseHost: string;
  /** Of one workspace that does not exist; only a wildcard answers for it. */
  readonly workspaceHost: string;
  /** Workspaces are at their default while the dashboard is not. */
  readonly forgotten: boolean;
  /** Names below localhost are found by browsers themselves. */
  readonly local: boolean;
  /** The code with which a name was not found; null where it was. */
  readonly base: string | null;
  readonly workspace: string | null;
  /** Everything is served from the dashboard's own host. */
  readonly single: boolean;
}

const EXAMPLE = "https://{id}.ws-example.net";

export function judgeDns(seen: AddressesSeen): Finding {
  const finding = findingsOf("dns");
  const { baseHost, workspaceHost } = seen;
  if (seen.forgotten) return finding("broken", "dns_forgotten", { host: baseHost, example: EXAMPLE });
  if (seen.local) return finding("ok", "dns_local");
  if (seen.base !== null) return finding("broken", "dns_no_base", { host: baseHost });
  if (seen.single) return finding("ok", "dns_ok", { host: baseHost });
  if (seen.workspace === null) return finding("ok", "dns_ok", { host: workspaceHost });
  const wildcard = `*.${workspaceHost.slice(workspaceHost.indexOf(".") + 1)}`;
  return finding("broken", "dns_no_wildcard", { host: wildcard });
}

export interface DiskSeen {
  readonly directory: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** Below either of these no home is made, restored or started. */
  readonly minFreeBytes: number;
  readonly minFreeRatio: number;
}

const MIB = 2 ** 20;
/** Twice what stops everything is the time to do something about it. */
const SOON = 2;

export function judgeDisk(seen: DiskSeen): Finding {
  const finding = findingsOf("disk");
  const { directory, freeBytes, totalBytes } = seen;
  const least = Math.max(seen.minFreeBytes, seen.minFreeRatio * totalBytes);
  const fields = { directory, free_mib: Math.floor(freeBytes / MIB), least_mib: Math.ceil(least / MIB) };
  if (freeBytes < least) return finding("broken", "disk_full", fields);
  return freeBytes < SOON * least ? finding("warning", "disk_low", fields) : finding("ok", "disk_ok", fields);
}

export interface DescriptorsSeen {
  readonly limit: number;
  /** How many clients a proxy with that many descriptors lets in. */
  readonly clients: number;
}

/** Every open window of an IDE has some connections; with fewer a handful of people fill the proxy. */
const FEW_CLIENTS = 1_000;
const TOO_FEW_CLIENTS = 100;

export function judgeDescriptors({ limit, clients }: DescriptorsSeen): Finding {
  const finding = findingsOf("descriptors");
  const fields = { limit: limit === Number.MAX_SAFE_INTEGER ? "unlimited" : limit, clients };
  if (clients < TOO_FEW_CLIENTS) return finding("broken", "descriptors_few", fields);
  return clients < FEW_CLIENTS
    ? finding("warning", "descriptors_few", fields)
    : finding("ok", "descriptors_ok", fields);
}

export function judgeConfiguration(problems: readonly string[], warnings: readonly string[]): readonly Finding[] {
  const finding = findingsOf("configuration");
  if (problems.length === 0 && warnings.length === 0) return [finding("ok", "configuration_ok")];
  return [
    ...problems.map((said) => finding("broken", "configuration_wrong", { said })),
    ...warnings.map((said) => finding("warning", "configuration_doubtful", { said })),
  ];
}
