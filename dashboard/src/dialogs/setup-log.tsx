import type { Listed } from "@codehub/contract";
import { api } from "../api.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { Output } from "../ui/output.tsx";
import { hideOverlay } from "../ui/overlay.ts";

/** What git said when the repository was last got; kept until it is got again. */
export function SetupLogDialog({ workspace }: { workspace: Listed }) {
  const log = useQuery(`setup log ${workspace.id}`, () => api.getSetupLog({ params: { id: workspace.id } }));
  const { data, reload } = log;
  return (
    <Dialog title={`What git said in “${workspace.name}”`} onClose={hideOverlay} wide>
      <NotThere query={log} title="It cannot be read" loading="Reading" />
      {data !== null && <Output>{data.log === "" ? "Nothing was written yet." : data.log}</Output>}
      <DialogActions>
        {data !== null && data.log !== "" && <CopyButton text={data.log} label="Copy the log" />}
        <button type="button" className="btn btn-small" onClick={reload}>
          Read again
        </button>
      </DialogActions>
    </Dialog>
  );
}
