import { ApiError, type Workspace } from "@codehub/contract";
import { type FormEvent, useRef, useState } from "react";
import { getRepository } from "../actions.ts";
import { useInspected } from "../inspected.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { hideOverlay } from "../ui/overlay.ts";
import { toast } from "../ui/toasts.tsx";
import { KeysSwitch } from "./keys-switch.tsx";
import { RepositoryField } from "./repository-field.tsx";

const isUp = ({ phase, desired_state: desired }: Workspace): boolean => phase === "RUNNING" && desired === "RUNNING";

/** A repository for a workspace that has none, another one, or the same once more. */
export function RepositoryDialog({ workspace, again }: { workspace: Workspace; again: boolean }) {
  const known = workspace.repository;
  const [address, setAddress] = useState(known?.address ?? "");
  const [keys, setKeys] = useState(workspace.keys_allowed);
  const [insisted, setInsisted] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const inspected = useInspected(again ? "" : address);
  const found = inspected.kind === "found" ? inspected.repository.key : null;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    if (inspected.kind === "refused") {
      setInsisted(true);
      form.current?.querySelector<HTMLElement>("[name=repository]")?.focus();
      return;
    }
    setBusy(true);
    try {
      await getRepository(workspace.id, { ...(again ? {} : { address: address.trim() }), keys_allowed: keys });
      toast({ tone: "done", text: `“${workspace.name}” gets its repository.` });
      hideOverlay();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      setBusy(false);
    }
  };
  const title = again ? "Try again" : known === null ? "Get a repository" : "Use another address";
  return (
    <Dialog title={`${title}: “${workspace.name}”`} onClose={hideOverlay}>
      <form ref={form} className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not done" problem={problem} />
        {again ? (
          <p className="text-sm text-ink-2 wrap-anywhere">
            <strong className="font-semibold text-ink">{known?.address}</strong> is asked for once more.
          </p>
        ) : (
          <RepositoryField
            label="Repository"
            required
            value={address}
            inspected={inspected}
            insisted={insisted}
            onChange={(value) => {
              setAddress(value);
              setInsisted(false);
            }}
          />
        )}
        <KeysSwitch allowed={keys} repository={again ? (known?.key ?? null) : found} onChange={setKeys} />
        <p className="text-sm text-ink-2">
          {isUp(workspace)
            ? "The workspace is stopped for it and started again: programs that run in it end, files stay."
            : "It is got before the workspace starts the next time. Files that are in the home stay."}
        </p>
        <DialogActions>
          <button type="button" className="btn" onClick={hideOverlay}>
            Cancel
          </button>
          <button type="submit" className="btn btn-primary" disabled={busy}>
            {isUp(workspace) ? "Stop, get it and start" : "Get it"}
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
