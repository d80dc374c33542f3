import type { Session } from "@codehub/contract";
import { useEffect } from "react";
import { report } from "../actions.ts";
import { PasswordForm } from "../password-form.tsx";
import { useSession } from "../session.tsx";
import { Icon, Logo } from "../ui/icons.tsx";

/** All there is for somebody whose password was set by the server or by an administrator, until it is their own. */
export function PasswordDue({ onChanged }: { onChanged: (session: Session) => void }) {
  const { session, signOut } = useSession();
  useEffect(() => {
    document.title = "Choose your own password · CodeHub";
  }, []);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-12">
      <div className="w-full max-w-sm">
        <div className="mb-8 flex flex-col items-center text-center">
          <Logo className="mb-4 size-12" />
          <h1 className="text-2xl font-semibold tracking-tight">Choose your own password</h1>
          <p className="mt-1 text-sm text-ink-2">
            The present one was set by the server or by an administrator. You go on from here as soon as it is changed.
          </p>
        </div>
        <div className="card p-6">
          <PasswordForm username={session.user.username} offersTokens={false} onChanged={onChanged} />
        </div>
        <p className="mt-6 flex items-center justify-center gap-2 text-[13px] text-ink-3">
          Signed in as {session.user.username}.
          <button type="button" className="btn btn-small" onClick={() => void signOut().catch(report)}>
            <Icon name="signout" /> Sign out
          </button>
        </p>
      </div>
    </main>
  );
}
