import { catalogue, type Listed, span } from "@codehub/contract";
import { useEffect, useMemo } from "react";
import { undelete } from "../actions.ts";
import { bytes, exact, ttl } from "../format/format.ts";
import { useNow } from "../hooks/clock.ts";
import { pathOf } from "../hooks/router.ts";
import { useLive } from "../live/store.ts";
import { NotLoaded } from "../not-loaded.tsx";
import { useSession } from "../session.tsx";
import { Empty, Link, Page, Time } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { showOverlay } from "../ui/overlay.ts";

function Row({ workspace }: { workspace: Listed }) {
  const now = useNow(1000);
  const pending = useLive((state) => state.pending.get(workspace.id));
  const retention = useSession().session.deployment.limits.trash_retention_seconds * 1000;
  const until = workspace.undelete_until === null ? null : new Date(workspace.undelete_until).getTime();
  const left = until === null ? 0 : Math.max(0, until - now);
  return (
    <li className="flex flex-col gap-3 px-5 py-4 sm:flex-row sm:items-center">
      <div className="min-w-0 flex-1">
        <Link to={pathOf.workspace(workspace.id)} className="block truncate font-semibold hover:underline">
          {workspace.name}
        </Link>
        <p className="text-[13px] text-ink-3">
          {workspace.deleted_at !== null && (
            <>
              Deleted <Time at={workspace.deleted_at} />
            </>
          )}
          {workspace.operation !== "NONE" && ` · ${catalogue.operations[workspace.operation].doing}`}
          {workspace.home_bytes !== null && ` · ${bytes(workspace.home_bytes)} kept`}
          {workspace.safety.level === "empty" && " · the home was empty"}
        </p>
      </div>
      <div className="sm:w-56">
        {until === null ? (
          <p className="text-sm text-ink-2">{workspace.purge ? "Being deleted for good" : "Cannot be restored"}</p>
        ) : (
          <>
            <p className="mb-1 text-sm text-ink-2" title={exact(until)}>
              {left === 0 ? "Time is up" : `${span(left)} left to restore it`}
            </p>
            <div className="h-1.5 overflow-hidden rounded-full bg-line" aria-hidden="true">
              <div
                className="h-full rounded-full bg-pending"
                style={{ width: `${Math.min(100, retention === 0 ? 0 : (left / retention) * 100)}%` }}
              />
            </div>
          </>
        )}
      </div>
      <div className="flex gap-2">
        <button
          type="button"
          className="btn btn-small"
          disabled={until === null || left === 0 || pending !== undefined}
          onClick={() => void undelete(workspace.id)}
        >
          <Icon name="undo" /> Restore
        </button>
        <button
          type="button"
          className="btn btn-quiet btn-small text-error"
          disabled={workspace.purge}
          onClick={() => showOverlay({ kind: "purge", workspace })}
        >
          Delete for good
        </button>
      </div>
    </li>
  );
}

export function Trash() {
  const { session } = useSession();
  const loaded = useLive((state) => state.loaded);
  const workspaces = useLive((state) => state.workspaces);
  useEffect(() => {
    document.title = "Trash · CodeHub";
  }, []);
  const rows = useMemo(
    () =>
      [...workspaces.values()]
        .filter((workspace) => workspace.deleted_at !== null)
        // What is gone for good and done is history, not trash.
        .filter((workspace) => workspace.undelete_until !== null || workspace.phase !== "DELETED")
        .sort((a, b) => (b.deleted_at ?? "").localeCompare(a.deleted_at ?? "")),
    [workspaces],
  );
  return (
    <Page
      title="Trash"
      intro={`Deleted workspaces stay here for ${ttl(session.deployment.limits.trash_retention_seconds)}, with a last copy of their home.`}
    >
      <div className="card">
        {!loaded ? (
          <NotLoaded />
        ) : rows.length === 0 ? (
          <Empty icon="trash" title="The trash is empty">
            A workspace you delete can be restored from here until its time is up.
          </Empty>
        ) : (
          <ul className="divide-y divide-line" aria-label="Deleted workspaces">
            {rows.map((workspace) => (
              <Row key={workspace.id} workspace={workspace} />
            ))}
          </ul>
        )}
      </div>
    </Page>
  );
}
