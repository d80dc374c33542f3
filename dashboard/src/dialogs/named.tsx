import { ApiError, type Listed } from "@codehub/contract";
import { type FormEvent, useState } from "react";
import { purge } from "../actions.ts";
import { api } from "../api.ts";
import { ttl } from "../format/format.ts";
import { takeAnswer } from "../live/store.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { useSession } from "../session.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { hideOverlay } from "../ui/overlay.ts";
import { toast } from "../ui/toasts.tsx";
import { NameField } from "./name-field.tsx";

async function reset({ id, name }: Listed) {
  await takeAnswer(api.resetWorkspace({ params: { id }, body: { confirm: name } }));
  toast({ tone: "done", text: `“${name}” is being emptied. Its last archive goes to the trash.` });
}

/** Removing for good and emptying a home. */
export function NamedDialog({ kind, workspace }: { kind: "purge" | "reset"; workspace: Listed }) {
  const retention = ttl(useSession().session.deployment.limits.trash_retention_seconds);
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const matches = typed === workspace.name;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!matches) return;
    setBusy(true);
    try {
      await (kind === "purge" ? purge(workspace) : reset(workspace));
      hideOverlay();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      setBusy(false);
    }
  };
  const words =
    kind === "purge"
      ? {
          title: "Delete for good",
          text: "The home and every archive of it are removed. Nobody can bring them back.",
          button: "Delete for good",
        }
      : {
          title: "Empty the home",
          text: `The workspace stays, its home is emptied. The last archive stays in the trash for ${retention} and can be restored from the list of archives.`,
          button: "Empty the home",
        };
  return (
    <Dialog title={`${words.title}: “${workspace.name}”`} onClose={hideOverlay}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not done" problem={problem} />
        <p className="text-sm text-ink-2">{words.text}</p>
        <NameField name={workspace.name} typed={typed} onChange={setTyped} />
        <DialogActions>
          <button type="button" className="btn" onClick={hideOverlay}>
            Cancel
          </button>
          <button type="submit" className="btn btn-danger" disabled={!matches || busy}>
            {words.button}
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
