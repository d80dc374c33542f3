/** Longest label of a host name. */
const LONGEST = 63;

/**
 * What the machine of a workspace is called, from the workspace's own name: a valid label of a host name, whatever people
 * call their workspaces. Two workspaces may have the same one; nothing is found by it.
 */
export function hostNameOf(name: string): string {
  const label = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, LONGEST)
    .replaceAll(/^-+|-+$/g, "");
  return label === "" ? "workspace" : label;
}
