import { doorOf, type Listed } from "@codehub/contract";
import { Icon } from "../ui/icons.tsx";

/**
 * The door: a plain link in a new tab, because the hand-over to the workspace's own origin is a navigation a person
 * started. It wakes what sleeps, so it is there in every phase but error, and
 * not while the home is being emptied.
 */
export function OpenLink({
  workspace,
  className,
  row = false,
}: {
  workspace: Listed;
  className: string;
  /** In a row, which on a phone has no room for the word. */
  row?: boolean;
}) {
  const { phase, desired_state: desired, operation, deleted_at: deletedAt } = workspace;
  const resetting = desired === "PENDING" && (phase !== "PENDING" || operation !== "NONE");
  if (deletedAt !== null || phase === "ERROR" || resetting) return null;
  return (
    <a
      href={doorOf(workspace.id)}
      target="_blank"
      rel="noopener"
      data-open-link
      className={className}
      aria-label={`Open ${workspace.name} (in a new tab)`}
    >
      <Icon name="open" /> <span className={row ? "max-lg:hidden" : ""}>Open</span>
    </a>
  );
}
