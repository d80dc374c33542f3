import { ApiError, type KeyTest } from "@codehub/contract";
import { type FormEvent, useEffect, useId, useState } from "react";
import { api } from "../api.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { Progress } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";

const LOOK_MS = 700;

/** What of the person's own is tried, and on what. */
export interface Tested {
  /** Null: the SSH key. */
  readonly credentialId: string | null;
  /** Where a name is needed that stands alone. */
  readonly name: string;
  readonly placeholder: string;
  readonly hint: string;
}

/** Opens the form below; says whether it is open. */
export const TestButton = ({ name, open, onClick }: { name: string; open: boolean; onClick: () => void }) => (
  <button type="button" className="btn btn-small" aria-label={`Test ${name}`} aria-expanded={open} onClick={onClick}>
    Test
  </button>
);

/** An address, and what became of it. It is asked for until there is an answer, or somebody closes this. */
export function KeyTestForm({ tested, onClose }: { tested: Tested; onClose: () => void }) {
  const [address, setAddress] = useState("");
  const [test, setTest] = useState<KeyTest | null>(null);
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const hintId = useId();
  const busy = asking || (test !== null && test.state !== "done");

  useEffect(() => {
    if (test === null || test.state === "done") return undefined;
    let gone = false;
    const timer = setTimeout(async () => {
      try {
        const now = await api.getKeyTest({ params: { id: test.id } });
        if (!gone) setTest(now);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (gone) return;
        setTest(null);
        setProblem(error);
      }
    }, LOOK_MS);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [test]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    setTest(null);
    setAsking(true);
    try {
      setTest(await api.testKey({ body: { credential_id: tested.credentialId, address: address.trim() } }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    } finally {
      setAsking(false);
    }
  };

  return (
    <form
      aria-label={`Test ${tested.name}`}
      className="mt-3 flex flex-col gap-3 rounded-lg bg-sunken p-3"
      onSubmit={(event) => void submit(event)}
    >
      <label>
        <span className="label">Address of a repository</span>
        <input
          className="field"
          required
          // biome-ignore lint/a11y/noAutofocus: somebody has just asked for it.
          autoFocus
          autoComplete="off"
          spellCheck={false}
          maxLength={2000}
          placeholder={tested.placeholder}
          aria-describedby={hintId}
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
      </label>
      <p id={hintId} className="hint">
        {tested.hint} Nothing there is changed.
      </p>
      <div className="flex flex-wrap justify-end gap-2">
        <button type="button" className="btn btn-quiet btn-small" onClick={onClose}>
          Close
        </button>
        <button type="submit" className="btn btn-primary btn-small" disabled={busy}>
          {busy ? "Testing…" : "Run the test"}
        </button>
      </div>
      <ProblemNotice title="It was not tested" problem={problem} />
      <div role="status" className="text-sm empty:hidden">
        {busy && <UnderWay state={test?.state ?? "waiting"} />}
        {test?.result != null && <Result result={test.result} />}
      </div>
    </form>
  );
}

const UnderWay = ({ state }: { state: KeyTest["state"] }) => (
  <>
    <p className="mb-2 text-ink-2">
      {state === "running" ? "Asking the host, from where your workspaces are." : "Waiting for its turn."}
    </p>
    <Progress label="The test is under way" share={null} />
  </>
);

/** Whether a word is said by its colour and its sign, too: a host that gives everything to everybody says nothing. */
function Result({ result: { works, code, message } }: { result: NonNullable<KeyTest["result"]> }) {
  const open = code === "not_asked" || code === "interrupted";
  const ink = works ? "text-running" : open ? "text-standby" : "text-error";
  return (
    <p className="flex gap-2 wrap-anywhere">
      <Icon name={works ? "check" : "warning"} className={`mt-0.5 size-4 shrink-0 ${ink}`} />
      <span>{message}</span>
    </p>
  );
}
