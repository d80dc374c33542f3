import { ApiError, type UserOverview } from "@codehub/contract";
import { type FormEvent, useState } from "react";
import { api } from "../api.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { hideOverlay } from "../ui/overlay.ts";

/** How many workspaces somebody may have running; nothing typed is as many as everybody. */
export function UserLimitDialog({ user, onChanged }: { user: UserOverview; onChanged: () => void }) {
  const [typed, setTyped] = useState(user.max_running === null ? "" : String(user.max_running));
  const [problem, setProblem] = useState<ApiError | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const max_running = typed === "" ? null : Number(typed);
      await api.updateUser({ params: { id: user.id }, body: { max_running } });
      onChanged();
      hideOverlay();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    }
  };
  return (
    <Dialog title={`Limit of ${user.username}`} onClose={hideOverlay}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not done" problem={problem} />
        <label>
          <span className="label">Workspaces that may run at once</span>
          <input
            className="field"
            type="number"
            min={0}
            max={10_000}
            step={1}
            placeholder="As many as everybody"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <p className="text-[13px] text-ink-3">What runs already goes on.</p>
        <DialogActions>
          <button type="button" className="btn" onClick={hideOverlay}>
            Cancel
          </button>
          <button type="submit" className="btn btn-primary">
            Save
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
