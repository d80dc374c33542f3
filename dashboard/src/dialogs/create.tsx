import { ApiError } from "@codehub/contract";
import { type FormEvent, useState } from "react";
import { create, report } from "../actions.ts";
import { navigate, pathOf } from "../hooks/router.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { useSession } from "../session.tsx";

import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { hideOverlay } from "../ui/overlay.ts";

export function CreateDialog() {
  const { deployment } = useSession().session;
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [image, setImage] = useState(deployment.default_image);
  const [start, setStart] = useState(true);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const images = [...new Set([deployment.default_image, ...deployment.images.filter((ref) => !ref.includes("*"))])];

  const send = async () => {
    const workspace = await create({
      name: name.trim(),
      description: description.trim() === "" ? null : description.trim(),
      image_ref: image,
      desired_state: start ? "RUNNING" : "STANDBY",
    });
    hideOverlay();
    navigate(pathOf.workspace(workspace.id));
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await send();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setBusy(false);
      if (error.code === "RUNNING_LIMIT_EXCEEDED") report(error, send);
      else setProblem(error);
    }
  };

  return (
    <Dialog title="New workspace" onClose={hideOverlay}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not created" problem={problem} />
        <label>
          <span className="label">Name</span>
          <input
            className="field"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label>
          <span className="label">Description (optional)</span>
          <input
            className="field"
            maxLength={500}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        </label>
        {images.length > 1 && (
          <label>
            <span className="label">Image</span>
            <select className="field" value={image} onChange={(event) => setImage(event.target.value)}>
              {images.map((ref) => (
                <option key={ref}>{ref}</option>
              ))}
            </select>
          </label>
        )}
        <label className="flex items-center gap-2.5 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-accent-fill"
            checked={start}
            onChange={(event) => setStart(event.target.checked)}
          />
          Start it at once
        </label>
        <DialogActions>
          <button type="button" className="btn" onClick={hideOverlay}>
            Cancel
          </button>
          <button type="submit" className="btn btn-primary" disabled={busy}>
            {busy ? "Creating" : "Create workspace"}
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
