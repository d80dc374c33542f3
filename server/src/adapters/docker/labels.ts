/** Everything of ours on the engine carries these; nothing without this deployment's is ever listed or touched. */
export const DEPLOYMENT = "codehub.deployment";
export const WORKSPACE = "codehub.workspace";
export const ATTEMPT = "codehub.attempt";
/** What it is (workspace, job, home, network, firewall): several kinds of containers belong to one workspace. */
export const ROLE = "codehub.role";
/** Only on containers that are published there; the others are reached at their own address. */
export const HOST_PORT = "codehub.host-port";
/** Only on containers where a step comes before the IDE. */
export const INIT = "codehub.init";

/** The value of the engine's `filters` parameter that selects by labels. */
export function labelFilter(labels: Readonly<Record<string, string>>, more: Record<string, string[]> = {}): string {
  return JSON.stringify({ ...more, label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) });
}
