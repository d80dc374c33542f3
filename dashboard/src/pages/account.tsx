import type { NewToken, Session, Token } from "@codehub/contract";
import { type FormEvent, useEffect, useState } from "react";
import { report } from "../actions.ts";
import { api } from "../api.ts";
import { pathOf } from "../hooks/router.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { PasswordForm } from "../password-form.tsx";
import { useSession } from "../session.tsx";
import { Card, Link, Page, Time } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { SecretBox } from "../ui/secret-box.tsx";
import { toast } from "../ui/toasts.tsx";

function PasswordCard() {
  const { session, setSession } = useSession();
  const accept = (changed: Session) => {
    setSession(changed);
    toast({ tone: "done", text: "The password is changed. Every other session has ended." });
  };
  return (
    <Card title="Password">
      <PasswordForm username={session.user.username} offersTokens onChanged={accept} />
    </Card>
  );
}

const day = 86_400;
const lifetimes = [
  { label: "30 days", seconds: 30 * day },
  { label: "90 days", seconds: 90 * day },
  { label: "1 year", seconds: 365 * day },
  { label: "No end", seconds: null },
] as const;

function TokenRow({ token, onRevoked }: { token: Token; onRevoked: () => void }) {
  const revoke = async () => {
    try {
      await api.deleteToken({ params: { id: token.id } });
      toast({ tone: "done", text: `The token “${token.name}” no longer works.` });
    } catch (error) {
      report(error);
    }
    onRevoked();
  };
  return (
    <li className="flex items-center gap-3 py-3">
      <div className="min-w-0 flex-1 text-sm">
        <p className="truncate font-medium">{token.name}</p>
        <p className="text-[13px] text-ink-3">
          created <Time at={token.created_at} /> ·{" "}
          {token.last_used_at === null ? (
            "never used"
          ) : (
            <>
              used <Time at={token.last_used_at} />
            </>
          )}{" "}
          ·{" "}
          {token.expires_at === null ? (
            "no end"
          ) : (
            <>
              ends <Time at={token.expires_at} ahead />
            </>
          )}
        </p>
      </div>
      <button
        type="button"
        className="btn btn-small text-error"
        aria-label={`Revoke ${token.name}`}
        onClick={() => void revoke()}
      >
        Revoke
      </button>
    </li>
  );
}

function TokensCard() {
  const { session } = useSession();
  // A changed password, and with it a new session, may have ended some.
  const tokens = useQuery(`tokens ${session.expires_at}`, () => api.listTokens());
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState(1);
  const [created, setCreated] = useState<NewToken | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const seconds = lifetimes[lifetime]?.seconds ?? null;
      setCreated(await api.createToken({ body: { name: name.trim(), expires_in_seconds: seconds } }));
      setName("");
      tokens.reload();
    } catch (error) {
      report(error);
    }
  };
  return (
    <Card title="API tokens">
      <p className="mb-4 text-sm text-ink-2">
        For scripts and the command line: a token can do what you can do, except create tokens and set passwords. It
        ends when you change your password, unless you keep it there, when an administrator resets it, and when your
        account is disabled. See the{" "}
        <a className="link" href={api.url("getReference")} target="_blank" rel="noopener">
          API reference
        </a>
        .
      </p>
      {created !== null && (
        <SecretBox
          title={`The token “${created.token.name}”`}
          secret={created.secret}
          onClose={() => setCreated(null)}
        />
      )}
      <form className="flex flex-col gap-3 sm:flex-row sm:items-end" onSubmit={(event) => void submit(event)}>
        <label className="flex-1">
          <span className="label">Name</span>
          <input
            className="field"
            required
            maxLength={60}
            placeholder="laptop script"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label>
          <span className="label">Lifetime</span>
          <select className="field" value={lifetime} onChange={(event) => setLifetime(Number(event.target.value))}>
            {lifetimes.map(({ label }, index) => (
              <option key={label} value={index}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" className="btn btn-primary">
          <Icon name="key" /> Create token
        </button>
      </form>
      <div className="mt-4 empty:hidden">
        <NotThere small query={tokens} title="Your tokens cannot be loaded" loading="Loading your tokens" />
      </div>
      <ul className="mt-3 divide-y divide-line">
        {(tokens.data?.items ?? []).map((token) => (
          <TokenRow key={token.id} token={token} onRevoked={tokens.reload} />
        ))}
      </ul>
      {tokens.data?.items.length === 0 && <p className="text-sm text-ink-3">You have no tokens.</p>}
    </Card>
  );
}

function SessionsCard() {
  const { session, signOut } = useSession();
  const leave = async (everywhere: boolean) => {
    try {
      await signOut({ everywhere });
    } catch (error) {
      report(error);
    }
  };
  return (
    <Card title="Sessions">
      <p className="text-sm text-ink-2">
        Signed in as <strong className="text-ink">{session.user.username}</strong> ({session.user.role})
        {session.expires_at !== null && (
          <>
            ; this session ends <Time at={session.expires_at} ahead />
          </>
        )}
        .
      </p>
      <div className="mt-4 flex flex-wrap gap-2">
        <button type="button" className="btn" onClick={() => void leave(false)}>
          <Icon name="signout" /> Sign out
        </button>
        <button type="button" className="btn text-error" onClick={() => void leave(true)}>
          Sign out everywhere
        </button>
      </div>
      <p className="hint">
        “Everywhere” ends all your sessions, also on other devices, and closes open workspaces within seconds.
      </p>
    </Card>
  );
}

export function Account() {
  useEffect(() => {
    document.title = "Account · CodeHub";
  }, []);
  return (
    <Page
      title="Account"
      actions={
        <Link to={pathOf.keys} className="btn">
          <Icon name="key" /> Keys and variables
        </Link>
      }
    >
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <div className="flex flex-col gap-5">
          <PasswordCard />
          <SessionsCard />
        </div>
        <TokensCard />
      </div>
    </Page>
  );
}
