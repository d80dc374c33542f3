import { ApiError, catalogue, errorText, type Listed, type RecoverWorkspace } from "@codehub/contract";
import { type FormEvent, useState } from "react";
import { api } from "../api.ts";
import { bytes, exact } from "../format/format.ts";
import { useQuery } from "../hooks/use-query.ts";
import { takeAnswer } from "../live/store.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { LongText } from "../ui/basics.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { hideOverlay } from "../ui/overlay.ts";
import { toast } from "../ui/toasts.tsx";
import { localVoice } from "../words/voice.ts";
import { NameField } from "./name-field.tsx";

type Choice = { kind: "retry" } | { kind: "archive"; opId: string } | { kind: "empty" };

/** Recovering offers what the reason allows; what would replace a home by nothing asks for the name. */
export function RecoverDialog({ workspace }: { workspace: Listed }) {
  const reason = workspace.error?.reason ?? "ActionFailed";
  const lost = reason === "DataLost";
  const fromArchive = lost || reason === "ArchiveCorrupted" || reason === "ArchiveAccessError";
  // A row has the beginning of a long detail only.
  const whole = useQuery(`error ${workspace.id}`, () => api.getWorkspace({ params: { id: workspace.id } }));
  const told = whole.data?.error ?? workspace.error;
  const archives = useQuery(`archives ${workspace.id}`, () => api.listArchives({ params: { id: workspace.id } }));
  const usable = (archives.data?.items ?? []).filter((archive) => lost || !archive.authoritative);
  const [choice, setChoice] = useState<Choice | null>(lost ? null : { kind: "retry" });
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const ready = choice !== null && (choice.kind !== "empty" || typed === workspace.name);

  const bodyOf = (chosen: Choice): RecoverWorkspace => {
    if (chosen.kind === "empty") return { start_empty: true, confirm: typed };
    if (chosen.kind === "archive") return lost ? { restore_archive: chosen.opId } : { use_archive: chosen.opId };
    return {};
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    setBusy(true);
    setProblem(null);
    try {
      const body = bodyOf(choice);
      await takeAnswer(api.recoverWorkspace({ params: { id: workspace.id }, body }));
      toast({ tone: "done", text: `“${workspace.name}” is being recovered.` });
      hideOverlay();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      setBusy(false);
    }
  };

  const option = (key: string, chosen: Choice, title: string, text: string) => (
    <label key={key} className="flex gap-3 px-4 py-3">
      <input
        type="radio"
        name="choice"
        className="mt-1 size-4 accent-accent-fill"
        checked={JSON.stringify(choice) === JSON.stringify(chosen)}
        onChange={() => setChoice(chosen)}
      />
      <span className="text-sm">
        <span className="block font-medium">{title}</span>
        <span className="text-ink-2">{text}</span>
      </span>
    </label>
  );

  return (
    <Dialog title={`Recover “${workspace.name}”`} onClose={hideOverlay}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not recovered" problem={problem} />
        <div className="text-sm">
          <p className="font-semibold">{catalogue.errors[reason].title}</p>
          <div className="mt-1 text-ink-2">
            <LongText text={told === null ? "" : errorText(told, localVoice)} />
          </div>
          <p className="mt-1 text-ink-2">
            {workspace.error !== null && catalogue.errors[workspace.error.reason].remedy}
          </p>
        </div>
        <fieldset className="divide-y divide-line rounded-xl border border-line">
          <legend className="sr-only">How to go on</legend>
          {!lost &&
            option("retry", { kind: "retry" }, "Try again", "Clear the error and go on towards what was asked.")}
          {fromArchive &&
            usable.map((archive) =>
              option(
                archive.op_id,
                { kind: "archive", opId: archive.op_id },
                `Use the archive of ${exact(new Date(archive.created_at).getTime())}`,
                `${archive.home_bytes === null ? "Size unknown" : bytes(archive.home_bytes)}, ${archive.verified_at === null ? "not verified" : "verified"}. What was written later is not in it.`,
              ),
            )}
          {lost &&
            option(
              "empty",
              { kind: "empty" },
              "Start with an empty home",
              "Gives up what was on the volume. Archives that exist stay in the list.",
            )}
        </fieldset>
        {choice?.kind === "empty" && <NameField name={workspace.name} typed={typed} onChange={setTyped} />}
        <DialogActions>
          <button type="button" className="btn" onClick={hideOverlay}>
            Cancel
          </button>
          <button type="submit" className="btn btn-primary" disabled={!ready || busy}>
            Recover
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
