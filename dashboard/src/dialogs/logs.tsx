import type { Listed } from "@codehub/contract";
import { api, problemText } from "../api.ts";
import { useQuery } from "../hooks/use-query.ts";
import { Notice, Spinner } from "../ui/basics.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { Output } from "../ui/output.tsx";
import { hideOverlay } from "../ui/overlay.ts";

export function LogsDialog({ workspace }: { workspace: Listed }) {
  const { data, error, reload } = useQuery(`logs ${workspace.id}`, () => api.getLogs({ params: { id: workspace.id } }));
  return (
    <Dialog title={`Last output of “${workspace.name}”`} onClose={hideOverlay} wide>
      {error !== null && (
        <Notice tone="error" title="The output cannot be read" live>
          {problemText(error)}
        </Notice>
      )}
      {data === null && error === null && <Spinner label="Reading" />}
      {data !== null && <Output>{data.lines.length === 0 ? "Nothing was written yet." : data.lines.join("\n")}</Output>}
      <DialogActions>
        <button type="button" className="btn" onClick={reload}>
          Read again
        </button>
      </DialogActions>
    </Dialog>
  );
}
