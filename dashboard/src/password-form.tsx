import { ApiError, type Session } from "@codehub/contract";
import { type FormEvent, useState } from "react";
import { api } from "./api.ts";
import { ProblemNotice } from "./problem-notice.tsx";

interface Props {
  readonly username: string;
  /** Whether there may be API tokens to be kept. */
  readonly offersTokens: boolean;
  /** With the session that goes on under the new password. */
  readonly onChanged: (session: Session) => void;
}

export function PasswordForm({ username, offersTokens, onChanged }: Props) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [keepTokens, setKeepTokens] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    try {
      const body = { current_password: current, new_password: next, keep_tokens: keepTokens };
      const session = await api.changePassword({ body });
      setKeepTokens(false);
      setCurrent("");
      setNext("");
      onChanged(session);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    }
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      <ProblemNotice title="The password was not changed" problem={problem} />
      {/* Password managers file the new password under this name. */}
      <input type="hidden" name="username" autoComplete="username" value={username} />
      <label>
        <span className="label">Current password</span>
        <input
          className="field"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
      </label>
      <label>
        <span className="label">New password</span>
        <input
          className="field"
          type="password"
          autoComplete="new-password"
          required
          minLength={10}
          maxLength={256}
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
        <span className="hint block">At least 10 characters. A sentence is easy to remember.</span>
      </label>
      {offersTokens && (
        <label className="flex items-start gap-2 text-sm">
          <input
            type="checkbox"
            className="mt-0.5 size-4 accent-accent-fill"
            checked={keepTokens}
            onChange={(event) => setKeepTokens(event.target.checked)}
          />
          <span>
            Keep my API tokens
            <span className="hint block">Otherwise they stop working, in case somebody else knew the password.</span>
          </span>
        </label>
      )}
      <div>
        <button type="submit" className="btn btn-primary">
          Change password
        </button>
      </div>
    </form>
  );
}
