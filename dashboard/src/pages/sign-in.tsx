import { ApiError, type Session, span } from "@codehub/contract";
import { type FormEvent, useEffect, useState } from "react";
import { api } from "../api.ts";
import { Notice } from "../ui/basics.tsx";
import { Logo } from "../ui/icons.tsx";

export function SignIn({ ended, onSignedIn }: { ended: boolean; onSignedIn: (session: Session) => void }) {
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  useEffect(() => {
    document.title = "Sign in · CodeHub";
  }, []);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      onSignedIn(await api.login({ body: { username, password } }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      setBusy(false);
    }
  };

  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-12">
      <div className="w-full max-w-sm">
        <div className="mb-8 flex flex-col items-center text-center">
          <Logo className="mb-4 size-12" />
          <h1 className="text-2xl font-semibold tracking-tight">Sign in to CodeHub</h1>
          <p className="mt-1 text-sm text-ink-2">Your workspaces are where you left them.</p>
        </div>
        <form className="card flex flex-col gap-4 p-6" onSubmit={(event) => void submit(event)}>
          {ended && problem === null && (
            <Notice tone="info" title="Your session has ended">
              Sign in again to go on.
            </Notice>
          )}
          {problem !== null && (
            <Notice tone="error" title={problem.message} live>
              {problem.retryAfterSeconds === null
                ? problem.action
                : `Try again in ${span(problem.retryAfterSeconds * 1000)}.`}
            </Notice>
          )}
          <label>
            <span className="label">Username</span>
            <input
              className="field"
              name="username"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              required
              // biome-ignore lint/a11y/noAutofocus: signing in is all there is to do on this page.
              autoFocus
              value={username}
              onChange={(event) => setUsername(event.target.value)}
            />
          </label>
          <label>
            <span className="label">Password</span>
            <input
              className="field"
              type="password"
              name="password"
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          </label>
          <button type="submit" className="btn btn-primary mt-1" disabled={busy}>
            {busy ? "Signing in" : "Sign in"}
          </button>
        </form>
        <p className="mt-6 text-center text-[13px] text-ink-3">
          First start? The administrator’s password was printed once by the server, in the terminal where it was
          started.
        </p>
      </div>
    </main>
  );
}
