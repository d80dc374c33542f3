import { ApiError, type Listed } from "@codehub/contract";
import { type FormEvent, useState } from "react";
import { api } from "../api.ts";
import { takeAnswer } from "../live/store.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { hideOverlay } from "../ui/overlay.ts";
import { toast } from "../ui/toasts.tsx";
import { NameField } from "./name-field.tsx";

/** An administrator's word that a node is off for good. What it risks is said before the name is asked for. */
export function NodeOffDialog({ workspace, node }: { workspace: Listed; node: string }) {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const matches = typed === node;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!matches) return;
    setBusy(true);
    try {
      await takeAnswer(api.declareNodeOff({ params: { id: workspace.id }, body: { confirm: node } }));
      toast({ tone: "done", text: `The container of “${workspace.name}” on ${node} is being given up.` });
      hideOverlay();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Is the node ${node} off for good?`} onClose={hideOverlay}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not done" problem={problem} />
        <p className="text-sm text-ink-2">
          The cluster does not hear from this node, and cannot tell a machine that is switched off from one that is only
          cut off. On your word CodeHub gives up the container of “{workspace.name}” there, so that its home can be used
          on another node.
        </p>
        <p className="text-sm text-ink-2">
          <strong className="text-ink">If the node still runs, two containers may write to the same home</strong> and
          damage it. Say so only when you have seen that the machine is off, or that its disk is detached, and that it
          will not come back by itself.
        </p>
        <p className="text-sm text-ink-2">
          It concerns this workspace only, is done once and is kept in the audit log. Until the cluster has taken the
          disk off the node, which may take some minutes, a start waits.
        </p>
        <NameField name={node} typed={typed} onChange={setTyped} />
        <DialogActions>
          <button type="button" className="btn" onClick={hideOverlay}>
            Cancel
          </button>
          <button type="submit" className="btn btn-danger" disabled={!matches || busy}>
            The node is off
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
