import type { Listed } from "@codehub/contract";
import { remove } from "../actions.ts";
import { ttl } from "../format/format.ts";
import { navigate, pathOf, placeOf } from "../hooks/router.ts";
import { useSession } from "../session.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { hideOverlay } from "../ui/overlay.ts";

export function DeleteDialog({ workspaces }: { workspaces: readonly Listed[] }) {
  const { session } = useSession();
  const retention = ttl(session.deployment.limits.trash_retention_seconds);
  const [first] = workspaces;
  const confirm = () => {
    hideOverlay();
    if (placeOf(location.pathname).page === "workspace") navigate(pathOf.workspaces);
    void remove(workspaces, session.user.id);
  };
  return (
    <Dialog
      title={workspaces.length === 1 ? `Delete “${first?.name ?? ""}”?` : `Delete ${workspaces.length} workspaces?`}
      onClose={hideOverlay}
    >
      <p className="text-sm text-ink-2">
        {workspaces.length === 1 ? "It goes" : "They go"} to the trash: what runs is stopped, open connections are cut,
        and a last copy of {workspaces.length === 1 ? "the home is" : "each home is"} archived. You can restore{" "}
        {workspaces.length === 1 ? "it" : "them"} for {retention}; after that the home is gone for good.
      </p>
      <DialogActions>
        <button type="button" className="btn" onClick={hideOverlay}>
          Cancel
        </button>
        <button type="button" className="btn btn-danger" onClick={confirm}>
          Move to trash
        </button>
      </DialogActions>
    </Dialog>
  );
}
