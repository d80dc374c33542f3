import type { Workspace } from "@codehub/contract";
import { Icon } from "../ui/icons.tsx";

/**
 * The door: a plain link in a new tab, because the hand-over to the workspace's own origin is a navigation a person
 * started. It wakes what sleeps, so it is there in every phase but error.
 */
export function OpenLink({ workspace, className }: { workspace: Workspace; className: string }) {
  if (workspace.open_url === null || workspace.phase === "ERROR" || workspace.desired_state === "PENDING") return null;
  return (
    <a
      href={workspace.open_url}
      target="_blank"
      rel="noopener"
      data-open-link
      className={className}
      aria-label={`Open ${workspace.name} (in a new tab)`}
    >
      <Icon name="open" /> Open
    </a>
  );
}
