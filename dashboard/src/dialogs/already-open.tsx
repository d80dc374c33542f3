import { doorOf, type Repository } from "@codehub/contract";
import { navigate, pathOf } from "../hooks/router.ts";
import { Icon } from "../ui/icons.tsx";
import { hideOverlay } from "../ui/overlay.ts";

/** Mostly somebody wants to go on where they were, and not a second copy. */
export function AlreadyOpen({ workspaces }: { workspaces: Repository["already_open"] }) {
  if (workspaces.length === 0) return null;
  return (
    <section
      aria-label="Workspaces that have it already"
      className="rounded-xl border border-accent/30 bg-accent-soft px-4 py-3"
    >
      <p className="text-sm font-semibold">You have this repository already</p>
      <ul className="mt-1 flex flex-col gap-2">
        {workspaces.slice(0, 3).map(({ id, name }) => (
          <li key={id} className="flex items-center justify-between gap-3 text-sm">
            <span className="min-w-0 truncate">{name}</span>
            <a
              href={doorOf(id)}
              target="_blank"
              rel="noopener"
              className="btn btn-small"
              aria-label={`Open it instead: ${name} (in a new tab)`}
              onClick={() => {
                navigate(pathOf.workspace(id), { replace: location.pathname === pathOf.create });
                hideOverlay();
              }}
            >
              <Icon name="open" /> Open it instead
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
