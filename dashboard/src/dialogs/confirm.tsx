import { ApiError } from "@codehub/contract";
import { useState } from "react";
import { ProblemNotice } from "../problem-notice.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { hideOverlay, type Question } from "../ui/overlay.ts";

/** Asks before something is done to others or to a home that one click too many would do. */
export function ConfirmDialog({ question }: { question: Question }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const confirm = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await question.run();
      hideOverlay();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={question.title} onClose={hideOverlay}>
      <div className="flex flex-col gap-4">
        <ProblemNotice title="It was not done" problem={problem} />
        <p className="text-sm text-ink-2">{question.text}</p>
      </div>
      <DialogActions>
        <button type="button" className="btn" onClick={hideOverlay}>
          Cancel
        </button>
        <button type="button" className="btn btn-danger" disabled={busy} onClick={() => void confirm()}>
          {question.button}
        </button>
      </DialogActions>
    </Dialog>
  );
}
