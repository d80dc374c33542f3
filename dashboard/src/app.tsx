import { ApiError, type Session } from "@codehub/contract";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { api, problemText } from "./api.ts";
import { forgetVisitor } from "./forget-visitor.ts";
import { setServerTime } from "./hooks/clock.ts";
import { forgetKept, forgetOthers } from "./hooks/kept.ts";
import { useLeftFocus } from "./hooks/left-focus.ts";
import { doorAfterSignIn } from "./hooks/router.ts";
import { dispatch } from "./live/store.ts";
import { openStream } from "./live/stream.ts";
import { PasswordDue } from "./pages/password-due.tsx";
import { SignIn } from "./pages/sign-in.tsx";
import { SessionContext } from "./session.tsx";
import { pageAhead, Shell } from "./shell.tsx";
import { Notice, Spinner } from "./ui/basics.tsx";
import { Toasts } from "./ui/toasts.tsx";

type State =
  | { kind: "asking" }
  | { kind: "signed-out"; ended: boolean }
  | { kind: "unreachable"; error: ApiError }
  | { kind: "signed-in"; session: Session };

export async function whoIsHere(): Promise<Session> {
  const [session] = await Promise.all([api.getSession(), pageAhead(location.pathname)]);
  return session;
}

export function App({ opening }: { opening: Promise<Session> }) {
  const [state, setState] = useState<State>({ kind: "asking" });
  const first = useRef<Promise<Session> | null>(opening);
  useLeftFocus();

  const accept = useCallback((session: Session) => {
    const door = doorAfterSignIn(location.pathname, location.search);
    // The door would lead back here until the password is changed.
    if (door !== null && !session.user.must_change_password) return location.replace(door);
    forgetOthers(session.user.id);
    setServerTime(session.server_time);
    setState({ kind: "signed-in", session });
  }, []);
  const leave = useCallback((ended: boolean) => {
    forgetVisitor();
    setState({ kind: "signed-out", ended });
  }, []);

  const ask = useCallback(async () => {
    try {
      const answer = first.current ?? whoIsHere();
      first.current = null;
      accept(await answer);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401) leave(false);
      else setState({ kind: "unreachable", error });
    }
  }, [accept, leave]);
  useEffect(() => void ask(), [ask]);

  // A server that restarts is back in seconds; whoever waits in front of the page should not have to reload it.
  const unreachable = state.kind === "unreachable";
  useEffect(() => {
    if (!unreachable) return undefined;
    const timer = setInterval(() => void ask(), 3000);
    return () => clearInterval(timer);
  }, [unreachable, ask]);

  const passwordDue = state.kind === "signed-in" && state.session.user.must_change_password;
  const userId = state.kind === "signed-in" ? state.session.user.id : null;
  useEffect(() => {
    if (userId === null || passwordDue) return undefined;
    const close = openStream({
      url: api.url("streamEvents"),
      dispatch,
      stillSignedIn: async () => {
        try {
          const session = await api.getSession();
          setServerTime(session.server_time);
          if (session.user.must_change_password) accept(session);
          return !session.user.must_change_password;
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 401) return true;
          leave(true);
          return false;
        }
      },
    });
    return () => {
      close();
      // An event may have come between leaving and here.
      forgetVisitor();
    };
  }, [userId, passwordDue, accept, leave]);

  const session = state.kind === "signed-in" ? state.session : null;
  const access = useMemo(
    () =>
      session === null
        ? null
        : {
            session,
            setSession: accept,
            signOut: async (options: { everywhere?: boolean } = {}) => {
              await api.logout({ body: { everywhere: options.everywhere ?? false } });
              forgetKept();
              leave(false);
            },
          },
    [session, accept, leave],
  );

  return (
    <>
      {state.kind === "asking" && <Spinner label="Opening CodeHub" />}
      {state.kind === "unreachable" && (
        <main className="mx-auto max-w-lg px-4 py-24">
          <h1 className="mb-4 text-xl font-semibold">CodeHub</h1>
          <Notice tone="error" title="The server does not answer" live>
            {problemText(state.error)} This page tries again by itself.
          </Notice>
        </main>
      )}
      {state.kind === "signed-out" && <SignIn ended={state.ended} onSignedIn={accept} />}
      {access !== null && (
        <SessionContext value={access}>{passwordDue ? <PasswordDue onChanged={accept} /> : <Shell />}</SessionContext>
      )}
      <Toasts />
    </>
  );
}
