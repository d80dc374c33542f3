import type { Token, User, UserSession } from "@codehub/contract";
import type { ReactNode } from "react";
import { report } from "../actions.ts";
import { api } from "../api.ts";
import { browserName } from "../format/browser-name.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { Time } from "../ui/basics.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { hideOverlay } from "../ui/overlay.ts";
import { toast } from "../ui/toasts.tsx";

function Entry({
  title,
  label,
  button,
  children,
  onEnd,
}: {
  title: string;
  label: string;
  button: string;
  children: ReactNode;
  onEnd: () => void;
}) {
  return (
    <li className="flex items-center gap-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm font-medium">{title}</p>
        <p className="text-[13px] text-ink-3 wrap-anywhere">{children}</p>
      </div>
      <button type="button" className="btn btn-small" aria-label={label} onClick={onEnd}>
        {button}
      </button>
    </li>
  );
}

const Sessions = ({ sessions, onEnd }: { sessions: readonly UserSession[]; onEnd: (id: string) => void }) => (
  <ul aria-label="Sessions" className="divide-y divide-line">
    {sessions.map(({ id, address, user_agent: agent, created_at: at }, index) => (
      <Entry
        key={id}
        {...{ title: browserName(agent), label: `End session ${index + 1}`, button: "End" }}
        onEnd={() => onEnd(id)}
      >
        {address !== null && `${address} · `}signed in <Time at={at} />
      </Entry>
    ))}
  </ul>
);

const Tokens = ({ tokens, onEnd }: { tokens: readonly Token[]; onEnd: (id: string) => void }) => (
  <ul aria-label="API tokens" className="divide-y divide-line border-t border-line">
    {tokens.map(({ id, name, last_used_at: used }) => (
      <Entry key={id} {...{ title: name, label: `Revoke ${name}`, button: "Revoke" }} onEnd={() => onEnd(id)}>
        API token ·{" "}
        {used === null ? (
          "never used"
        ) : (
          <>
            used <Time at={used} />
          </>
        )}
      </Entry>
    ))}
  </ul>
);

/** By what somebody gets in, each to be ended. */
export function AccessDialog({ user, onChanged }: { user: User; onChanged: () => void }) {
  const { id } = user;
  const access = useQuery(`access ${id}`, () => api.getUserAccess({ params: { id } }));
  const { data, reload } = access;
  const end = async (ending: Promise<unknown>, done: string) => {
    try {
      await ending;
      toast({ tone: "done", text: done });
    } catch (failure) {
      report(failure);
    }
    reload();
    onChanged();
  };
  const endSession = (session_id: string) =>
    void end(api.endUserSession({ params: { id, session_id } }), "The session has ended.");
  const revoke = (token_id: string) =>
    void end(api.revokeUserToken({ params: { id, token_id } }), "The token no longer works.");
  const endAll = () =>
    void end(
      api.endUserAccess({ params: { id } }),
      `${user.username} is signed out everywhere, and their tokens ended.`,
    );
  const some = data !== null && data.sessions.length + data.tokens.length > 0;
  return (
    <Dialog title={`Sessions and tokens of ${user.username}`} onClose={hideOverlay}>
      <NotThere query={access} title="They cannot be loaded" loading="Loading sessions and tokens" />
      {data !== null && !some && <p className="text-sm text-ink-2">Nobody is signed in, and there is no token.</p>}
      {data !== null && data.sessions.length > 0 && <Sessions sessions={data.sessions} onEnd={endSession} />}
      {data !== null && data.tokens.length > 0 && <Tokens tokens={data.tokens} onEnd={revoke} />}
      <DialogActions>
        <button type="button" className="btn" onClick={hideOverlay}>
          Close
        </button>
        <button type="button" className="btn btn-danger" disabled={!some} onClick={endAll}>
          End all
        </button>
      </DialogActions>
    </Dialog>
  );
}
