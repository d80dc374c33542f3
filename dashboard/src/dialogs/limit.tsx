import { ApiError } from "@codehub/contract";
import { useEffect, useRef, useState } from "react";
import { request } from "../actions.ts";
import { useLive, whenWorkspace } from "../live/store.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { Spinner, Time } from "../ui/basics.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { hideOverlay } from "../ui/overlay.ts";

interface Holder {
  readonly id: string;
  readonly name: string;
}
const isHolder = (value: unknown): value is Holder =>
  typeof value === "object" && value !== null && "id" in value && "name" in value;

/** A full house: say who holds the slots, let one go, and do what was asked as soon as its slot is free. */
export function LimitDialog({ error, retry }: { error: ApiError; retry: () => Promise<void> }) {
  const running = (Array.isArray(error.details["running"]) ? error.details["running"] : []).filter(isHolder);
  const [waitingFor, setWaitingFor] = useState<string | null>(null);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const controller = useRef(new AbortController());
  useEffect(() => {
    const current = new AbortController();
    controller.current = current;
    return () => current.abort();
  }, []);

  const makeRoom = async (holder: Holder) => {
    setWaitingFor(holder.name);
    await request(holder.id, "STANDBY");
    const stopped = await whenWorkspace(
      holder.id,
      (workspace) => workspace.phase !== "RUNNING" && workspace.operation === "NONE",
      controller.current.signal,
    );
    if (stopped === null) return;
    try {
      await retry();
      hideOverlay();
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setProblem(failure);
      setWaitingFor(null);
    }
  };

  return (
    <Dialog title="No free slot" onClose={hideOverlay}>
      <ProblemNotice title="It still does not start" problem={problem} />
      <p className="text-sm text-ink-2">{error.message} Put one on standby; its home stays as it is.</p>
      {waitingFor === null ? (
        <ul className="mt-4 divide-y divide-line rounded-xl border border-line">
          {running.map((holder) => {
            const lastAccess = useLive.getState().workspaces.get(holder.id)?.last_access_at ?? null;
            return (
              <li key={holder.id} className="flex items-center justify-between gap-3 px-4 py-2.5">
                <span className="min-w-0">
                  <span className="block truncate text-sm font-medium">{holder.name}</span>
                  {lastAccess !== null && (
                    <span className="text-[13px] text-ink-3">
                      last used <Time at={lastAccess} />
                    </span>
                  )}
                </span>
                <button type="button" className="btn btn-small" onClick={() => void makeRoom(holder)}>
                  Standby and go on
                </button>
              </li>
            );
          })}
        </ul>
      ) : (
        <Spinner label={`Waiting until “${waitingFor}” has stopped`} />
      )}
      <DialogActions>
        <button type="button" className="btn" onClick={hideOverlay}>
          Cancel
        </button>
      </DialogActions>
    </Dialog>
  );
}
