/** Everything of ours in the namespace carries these; nothing without this deployment's is ever listed or touched. */
export const DEPLOYMENT = "codehub/deployment";
export const WORKSPACE = "codehub/workspace";
export const ATTEMPT = "codehub/attempt";
/** What it is (workspace, job, home, or a claim that is only tried): the network policies choose by it, whichever deployment it is. */
export const ROLE = "codehub/role";
/**
 * Of a job that works in its workspace's stead: to the network policies it is the workspace, so it carries that role; to
 * everybody else it is a job.
 */
export const SETUP = "codehub/setup";
/** Of a claim: who it is, as its own file says it too. */
export const IDENTITY = "codehub/identity";
/** Keeps a home from going with `kubectl delete`: only CodeHub takes it off, when it removes the volume itself. */
export const HOME_FINALIZER = "codehub/home";

export interface Labels {
  readonly deploymentId: string;
  readonly role: "workspace" | "job" | "home" | "probe";
  readonly workspaceId: string;
  readonly attempt: string;
  readonly setup?: boolean;
}

export const labelsOf = ({ deploymentId, role, workspaceId, attempt, setup }: Labels): Record<string, string> => ({
  [DEPLOYMENT]: deploymentId,
  [ROLE]: role,
  [WORKSPACE]: workspaceId,
  [ATTEMPT]: attempt,
  ...(setup === true ? { [SETUP]: "true" } : {}),
});
