import { ApiError, type Workspace } from "@codehub/contract";
import { type FormEvent, useState } from "react";
import { changeAddress } from "../actions.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { hideOverlay } from "../ui/overlay.ts";
import { toast } from "../ui/toasts.tsx";

type Form = "words" | "id";
const FORMS: readonly { readonly form: Form; readonly label: string; readonly hint: string }[] = [
  { form: "words", label: "In words of its name", hint: "The name can be read in DNS and TLS." },
  { form: "id", label: "Its id", hint: "It says nothing about the workspace." },
];

/** Another address, and what stays behind at the present one. */
export function AddressDialog({ workspace }: { workspace: Workspace }) {
  const [form, setForm] = useState<Form>("words");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await changeAddress(workspace.id, form);
      toast({ tone: "done", text: `“${workspace.name}” has a new address.` });
      hideOverlay();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Change the address of “${workspace.name}”`} onClose={hideOverlay}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not changed" problem={problem} />
        <fieldset className="flex flex-col gap-3">
          <legend className="label">New address</legend>
          {FORMS.filter((one) => one.form === "words" || workspace.address?.form === "words").map((one) => (
            <label key={one.form} className="flex items-start gap-2.5 text-sm">
              <input
                type="radio"
                name="form"
                className="mt-0.5 size-4 accent-accent-fill"
                checked={form === one.form}
                onChange={() => setForm(one.form)}
              />
              <span>
                {one.label}
                <span className="hint block">{one.hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <p className="text-sm text-ink-2">
          <strong className="font-semibold text-ink">Save first:</strong> the editor's layout and unsaved tabs in this
          browser stay behind at the old address. Open tabs end and open again at the new one, where every old link
          leads from now on.
          {workspace.phase === "RUNNING" && " Links to ports in the editor change at the next start."}
        </p>
        <DialogActions>
          <button type="button" className="btn" onClick={hideOverlay}>
            Cancel
          </button>
          <button type="submit" className="btn btn-primary" disabled={busy}>
            Change address
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
