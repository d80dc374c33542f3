import { ApiError } from "@codehub/contract";
import { type FormEvent, useRef, useState } from "react";
import { create, report } from "../actions.ts";
import { useKept } from "../hooks/kept.ts";
import { navigate, pathOf } from "../hooks/router.ts";
import { inspect, useInspected } from "../inspected.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { useSession } from "../session.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { type Asked, hideOverlay } from "../ui/overlay.ts";
import { AlreadyOpen } from "./already-open.tsx";
import { KeysSwitch } from "./keys-switch.tsx";
import { RepositoryField } from "./repository-field.tsx";

interface Texts {
  readonly name?: string;
  readonly description?: string;
}

function textsFrom(found: unknown): Texts {
  const { name, description } = (found ?? {}) as Record<string, unknown>;
  return {
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof description === "string" ? { description } : {}),
  };
}

export function CreateDialog({ asked }: { asked: Asked }) {
  const { deployment, user } = useSession().session;
  const [repository, setRepository] = useState(asked.repository);
  // Not the repository: an address may have a token in it. And a link says itself what is to be created.
  const linked = asked.repository !== "" || asked.name !== "";
  const linkedTexts: Texts = asked.name === "" ? {} : { name: asked.name };
  const [typed, changeTyped] = useKept(user.id, "new", (found) => (linked ? linkedTexts : textsFrom(found)));
  const { description = "" } = typed;
  const [image, setImage] = useState(deployment.default_image);
  const [start, setStart] = useState(true);
  const [named, setNamed] = useState(deployment.new_address === "words");
  const [keys, setKeys] = useState(true);
  const [insisted, setInsisted] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const images = [...new Set([deployment.default_image, ...deployment.images.filter((ref) => !ref.includes("*"))])];
  const inspected = useInspected(repository);
  const found = inspected.kind === "found" ? inspected.repository : null;
  const address = repository.trim();
  const name = typed.name ?? found?.folder.slice(0, 100) ?? "";

  const enter = (text: Texts) => changeTyped((now) => ({ ...now, ...text }));
  const close = () => {
    changeTyped(() => ({}));
    hideOverlay();
  };
  const send = async () => {
    const workspace = await create({
      // Whoever pastes and presses Enter is faster than the address is read.
      name: name.trim() === "" ? (await inspect(address)).folder.slice(0, 100) : name.trim(),
      description: description.trim() === "" ? null : description.trim(),
      image_ref: image,
      desired_state: start ? "RUNNING" : "STANDBY",
      address: named ? "words" : "id",
      ...(address === "" ? {} : { repository: address, keys_allowed: keys }),
    });
    navigate(pathOf.workspace(workspace.id), { replace: location.pathname === pathOf.create });
    close();
  };
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
      await send();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setBusy(false);
      if (error.code === "RUNNING_LIMIT_EXCEEDED") report(error, send);
      else setProblem(error);
    }
  };

  return (
    <Dialog title="New workspace" onClose={close}>
      <form ref={form} className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not created" problem={problem} />
        <RepositoryField
          label="Repository (optional)"
          value={repository}
          inspected={inspected}
          insisted={insisted}
          onChange={(value) => {
            setRepository(value);
            setInsisted(false);
          }}
        />
        <label>
          <span className="label">Name</span>
          <input
            className="field"
            required={address === ""}
            maxLength={100}
            value={name}
            onChange={(event) => enter({ name: event.target.value })}
          />
        </label>
        <label>
          <span className="label">Description (optional)</span>
          <input
            className="field"
            maxLength={500}
            value={description}
            onChange={(event) => enter({ description: event.target.value })}
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
        {!deployment.unsafe_single_origin && (
          <label className="flex items-start gap-2.5 text-sm">
            <input
              type="checkbox"
              className="mt-0.5 size-4 accent-accent-fill"
              checked={named}
              onChange={(event) => setNamed(event.target.checked)}
            />
            <span>
              Its name in its address
              <span className="hint block">Then it can be read in DNS and TLS.</span>
            </span>
          </label>
        )}
        {address !== "" && <KeysSwitch allowed={keys} repository={found?.key ?? null} onChange={setKeys} />}
        {found !== null && <AlreadyOpen workspaces={found.already_open} />}
        <DialogActions>
          <button type="button" className="btn" onClick={close}>
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
