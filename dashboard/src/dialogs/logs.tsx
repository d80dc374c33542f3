import type { Listed } from "@codehub/contract";
import { api } from "../api.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { Output } from "../ui/output.tsx";
import { hideOverlay } from "../ui/overlay.ts";

export function LogsDialog({ workspace }: { workspace: Listed }) {
  const logs = useQuery(`logs ${workspace.id}`, () => api.getLogs({ params: { id: workspace.id } }));
  const { data, reload } = logs;
  return (
    <Dialog title={`Last output of “${workspace.name}”`} onClose={hideOverlay} wide>
      <NotThere query={logs} title="The output cannot be read" loading="Reading" />
      {data !== null && <Output>{data.lines.length === 0 ? "Nothing was written yet." : data.lines.join("\n")}</Output>}
      <DialogActions>
        <button type="button" className="btn" onClick={reload}>
          Read again
        </button>
      </DialogActions>
    </Dialog>
  );
}
