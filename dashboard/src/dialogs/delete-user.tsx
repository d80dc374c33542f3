import { ApiError, listed, type UserOverview } from "@codehub/contract";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { api, everyWorkspace } from "../api.ts";
import { counted, ttl } from "../format/format.ts";
import { notAtRest, stateOf } from "../format/rest.ts";
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

/**
 * Only what is at rest is given. What is not is watched until it is, and the server is asked to give when there is something new
 * to ask about. Whoever closes the dialog ends the waiting, not the stopping.
 */
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
  const finish = async (giveTo: string | null): Promise<void> => {
    const query = { confirm: username, ...(giveTo === null ? {} : { give_to: giveTo }) };
    const { given } = await api.deleteUser({ params: { id }, query });
    const onward = given === 0 ? "." : `, ${counted(given, "workspace")} given on.`;
    toast({ tone: "done", text: `${username} is deleted${onward}` });
    onChanged();
    hideOverlay();
  };
  /** Null when it is done; otherwise the workspaces that the server does not take for being at rest. */
  const refusalOf = async (giveTo: string): Promise<string | null> => {
    try {
      await finish(giveTo);
      return null;
    } catch (error) {
      if (error instanceof ApiError && error.code === "WORKSPACES_NOT_AT_REST") return String(error.details["names"]);
      throw error;
    }
  };
  const giveAtRest = async (giveTo: string): Promise<void> => {
    let disabled = user.disabled_at !== null;
    let refusedAt: string | null = null;
    while (!closed.current) {
      const rows = (await everyWorkspace({ owner: id, trash: "include" })).map(listed);
      const busy = notAtRest(rows);
      if (busy.length > 0) setWaitsFor(busy.map(({ name }) => name).join(", "));
      else if (stateOf(rows) !== refusedAt) {
        const names = await refusalOf(giveTo);
        if (names === null) return;
        refusedAt = stateOf(rows);
        setWaitsFor(names);
      }
      // What runs goes to standby with it, and nothing is started meanwhile.
      if (!disabled) await api.updateUser({ params: { id }, body: { disabled: true } });
      disabled = true;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  };
  const remove = async (giveTo: string | null) => {
    setBusy(true);
    setProblem(null);
    try {
      await (giveTo === null ? finish(null) : giveAtRest(giveTo));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      setBusy(false);
      setWaitsFor(null);
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
            Waiting until these have stopped: {waitsFor}. {user.username} is disabled and can start nothing; the
            deletion follows by itself. Closing this ends the waiting only.
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
