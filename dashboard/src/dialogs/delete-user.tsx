import { ApiError, type UserOverview } from "@codehub/contract";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { api } from "../api.ts";
import { counted, ttl } from "../format/format.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { useSession } from "../session.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { hideOverlay } from "../ui/overlay.ts";
import { toast } from "../ui/toasts.tsx";
import { NameField } from "./name-field.tsx";

const LOOK_AGAIN_MS = 2_000;

interface Props {
  readonly user: UserOverview;
  /** Who may get what they have. */
  readonly others: readonly UserOverview[];
  readonly onChanged: () => void;
}

const Receiver = ({
  others,
  value,
  onChange,
}: {
  others: readonly UserOverview[];
  value: string;
  onChange: (id: string) => void;
}) => (
  <label>
    <span className="label">Who gets them</span>
    <select className="field" required value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">Choose somebody</option>
      {others.map(({ id, username }) => (
        <option key={id} value={id}>
          {username}
        </option>
      ))}
    </select>
  </label>
);

/** Tries until everything has stopped: only what is at rest is given. Whoever closes the dialog ends the waiting, not the stopping. */
function useRemoval({ user, onChanged }: Props) {
  const [busy, setBusy] = useState(false);
  const [waitsFor, setWaitsFor] = useState<string | null>(null);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const closed = useRef(false);
  useEffect(
    () => () => {
      closed.current = true;
    },
    [],
  );
  const { id, username } = user;
  const attempt = async (giveTo: string | null): Promise<void> => {
    try {
      const query = { confirm: username, ...(giveTo === null ? {} : { give_to: giveTo }) };
      const { given } = await api.deleteUser({ params: { id }, query });
      toast({
        tone: "done",
        text:
          given === 0 ? `${username} is deleted.` : `${username} is deleted, ${counted(given, "workspace")} given on.`,
      });
      onChanged();
      hideOverlay();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "WORKSPACES_NOT_AT_REST") throw error;
      setWaitsFor(String(error.details["names"]));
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      if (!closed.current) await attempt(giveTo);
    }
  };
  const remove = async (giveTo: string | null) => {
    setBusy(true);
    setProblem(null);
    try {
      // What runs goes to standby with it.
      if (giveTo !== null && user.disabled_at === null && user.running > 0)
        await api.updateUser({ params: { id }, body: { disabled: true } });
      await attempt(giveTo);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      setBusy(false);
      onChanged();
    }
  };
  return { busy, waitsFor, problem, remove };
}

/** Asks by name, says what comes of it, and what is to become of what they have. */
export function DeleteUserDialog(props: Props) {
  const { user, others } = props;
  const retention = ttl(useSession().session.deployment.limits.trash_retention_seconds);
  const [gives, setGives] = useState(false);
  const [receiver, setReceiver] = useState("");
  const [typed, setTyped] = useState("");
  const { busy, waitsFor, problem, remove } = useRemoval(props);
  const ready = typed === user.username && (!gives || receiver !== "");
  const has = user.workspaces + user.in_trash > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready) void remove(gives ? receiver : null);
  };
  return (
    <Dialog title={`Delete ${user.username}?`} onClose={hideOverlay}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <ProblemNotice title="It was not done" problem={problem} />
        <p className="text-sm text-ink-2">
          {user.username} is signed out everywhere. Tokens, SSH key, credentials, variables and secrets are deleted for
          good. The audit log keeps the name, and nobody else is ever called so.
        </p>
        {has && (
          <fieldset className="flex flex-col gap-2 text-sm">
            <legend className="label">{counted(user.workspaces, "workspace")}</legend>
            <label className="flex gap-2">
              <input type="radio" name="becomes" checked={!gives} onChange={() => setGives(false)} />
              To the trash, for {retention}; until then they can be given to somebody
            </label>
            <label className="flex gap-2">
              <input type="radio" name="becomes" checked={gives} onChange={() => setGives(true)} />
              All to somebody else, with their homes; what runs is stopped first
            </label>
          </fieldset>
        )}
        {gives && <Receiver others={others} value={receiver} onChange={setReceiver} />}
        <NameField name={user.username} typed={typed} onChange={setTyped} />
        {waitsFor !== null && (
          <p role="status" className="text-sm text-ink-2 wrap-anywhere">
            Waiting until these have stopped: {waitsFor}. The account is disabled already.
          </p>
        )}
        <DialogActions>
          <button type="button" className="btn" onClick={hideOverlay}>
            {waitsFor === null ? "Cancel" : "Close"}
          </button>
          <button type="submit" className="btn btn-danger" disabled={!ready || busy}>
            Delete user
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** What a deleted user left in the trash. */
export function GiveLeftDialog({ user, others, onChanged }: Props) {
  const [receiver, setReceiver] = useState("");
  const [problem, setProblem] = useState<ApiError | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const { given } = await api.giveLeft({ params: { id: user.id }, body: { user_id: receiver } });
      toast({ tone: "done", text: `${counted(given, "workspace")} given on. They are in the trash of the new owner.` });
      onChanged();
      hideOverlay();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    }
  };
  return (
    <Dialog title={`What ${user.username} left`} onClose={hideOverlay}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not done" problem={problem} />
        <p className="text-sm text-ink-2">
          {counted(user.in_trash, "workspace")} in the trash. Whoever gets them finds them in their own trash and can
          restore them.
        </p>
        <Receiver others={others} value={receiver} onChange={setReceiver} />
        <DialogActions>
          <button type="button" className="btn" onClick={hideOverlay}>
            Cancel
          </button>
          <button type="submit" className="btn btn-primary" disabled={receiver === ""}>
            Give
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
