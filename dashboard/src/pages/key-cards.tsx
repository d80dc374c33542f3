import { ApiError, type Credential, type KeySettings, type SshKey } from "@codehub/contract";
import { type FormEvent, useState } from "react";
import { report } from "../actions.ts";
import { api } from "../api.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { Card, Time } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { toast } from "../ui/toasts.tsx";
import { CannotBeOpened } from "../workspace/cannot-be-opened.tsx";
import { KeyTestForm, TestButton, type Tested } from "./key-test.tsx";

const testOfSshKey: Tested = {
  credentialId: null,
  name: "the SSH key",
  placeholder: "git@github.com:you/private-project.git",
  hint: "An ssh address that your key should open.",
};

export function SshKeyCard({ sshKey, onChanged }: { sshKey: SshKey | null; onChanged: () => void }) {
  const [copied, setCopied] = useState(false);
  const [asked, setAsked] = useState<"renew" | "delete" | null>(null);
  const [testing, setTesting] = useState(false);
  const change = async (call: Promise<unknown>, text: string) => {
    try {
      await call;
      toast({ tone: "done", text });
    } catch (error) {
      report(error);
    }
    setAsked(null);
    setCopied(false);
    onChanged();
  };
  const make = () => change(api.makeSshKey(), "There is a new SSH key. Copy its public half to where you push.");
  if (sshKey === null)
    return (
      <Card title="SSH key">
        <p className="mb-4 text-sm text-ink-2">
          With it you clone and push over ssh. CodeHub makes the pair; you copy its public half to your Git host. The
          private half never leaves the agents of your workspaces.
        </p>
        <button type="button" className="btn btn-primary" onClick={() => void make()}>
          <Icon name="key" /> Create SSH key
        </button>
      </Card>
    );
  const copy = () =>
    navigator.clipboard.writeText(sshKey.public_key).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <Card title="SSH key">
      {!sshKey.can_be_opened && <CannotBeOpened cure="Renew it" />}
      <p className="mb-3 text-sm text-ink-2">
        Created <Time at={sshKey.changed_at} />. Copy this public half to your Git host:
      </p>
      <code className="block rounded-lg bg-sunken px-3 py-2 font-mono text-[13px] break-all select-all">
        {sshKey.public_key}
      </code>
      <div className="mt-3 flex flex-wrap gap-2">
        <button type="button" className="btn btn-small" onClick={() => void copy()}>
          <Icon name={copied ? "check" : "copy"} /> {copied ? "Copied" : "Copy"}
        </button>
        <TestButton name={testOfSshKey.name} open={testing} onClick={() => setTesting(!testing)} />
        <button type="button" className="btn btn-small" onClick={() => setAsked("renew")}>
          Renew
        </button>
        <button type="button" className="btn btn-small text-error" onClick={() => setAsked("delete")}>
          Delete
        </button>
      </div>
      {asked !== null && (
        <div role="status" className="mt-3 flex flex-wrap items-center gap-2 text-sm">
          <span>Git hosts that know this key will refuse you until they are told of another.</span>
          <button
            type="button"
            className="btn btn-small text-error"
            onClick={() => void (asked === "renew" ? make() : change(api.deleteSshKey(), "The SSH key is deleted."))}
          >
            {asked === "renew" ? "Make another key" : "Delete the key"}
          </button>
          <button type="button" className="btn btn-quiet btn-small" onClick={() => setAsked(null)}>
            Keep it
          </button>
        </div>
      )}
      {testing && <KeyTestForm key={sshKey.public_key} tested={testOfSshKey} onClose={() => setTesting(false)} />}
    </Card>
  );
}

const testOf = ({ id, host }: Credential): Tested => ({
  credentialId: id,
  name: `the credential for ${host}`,
  placeholder: `https://${host}/you/private-project`,
  hint: `A repository on ${host} that only you, or few, may read.`,
});

function CredentialRow({ credential, onChanged }: { credential: Credential; onChanged: () => void }) {
  const [testing, setTesting] = useState(false);
  const remove = async () => {
    try {
      await api.deleteCredential({ params: { id: credential.id } });
      toast({ tone: "done", text: `The credential for ${credential.host} is deleted.` });
    } catch (error) {
      report(error);
    }
    onChanged();
  };
  return (
    <li className="py-3">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1 text-sm">
          <p className="truncate font-medium">{credential.host}</p>
          <p className="truncate text-[13px] text-ink-3">
            as {credential.username} · saved <Time at={credential.changed_at} />
          </p>
          {!credential.can_be_opened && <CannotBeOpened cure="Save it again" />}
        </div>
        <TestButton name={testOf(credential).name} open={testing} onClick={() => setTesting(!testing)} />
        <button
          type="button"
          className="btn btn-small text-error"
          aria-label={`Delete the credential for ${credential.host}`}
          onClick={() => void remove()}
        >
          Delete
        </button>
      </div>
      {testing && <KeyTestForm tested={testOf(credential)} onClose={() => setTesting(false)} />}
    </li>
  );
}

const noCredential = { host: "", username: "", password: "" };

export function CredentialsCard({ items, onChanged }: { items: readonly Credential[]; onChanged: () => void }) {
  const [draft, setDraft] = useState(noCredential);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    const host = draft.host
      .trim()
      .toLowerCase()
      .replace(/^https:\/\//, "")
      .replace(/\/.*$/, "");
    try {
      await api.putCredential({ body: { ...draft, host, username: draft.username.trim() } });
      toast({ tone: "done", text: `The credential for ${host} is saved.` });
      setDraft(noCredential);
      onChanged();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    }
  };
  const field = (name: keyof typeof noCredential, label: string, more: object) => (
    <label>
      <span className="label">{label}</span>
      <input
        className="field"
        required
        autoComplete="off"
        spellCheck={false}
        value={draft[name]}
        onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
        {...more}
      />
    </label>
  );
  return (
    <Card title="Credentials for Git hosts">
      <p className="mb-4 text-sm text-ink-2">
        For addresses that begin with https: a user name and a token or password, given to that one host only.
      </p>
      <form className="flex flex-col gap-3" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not saved" problem={problem} />
        {field("host", "Host", { placeholder: "github.com", maxLength: 260 })}
        <div className="grid gap-3 sm:grid-cols-2">
          {field("username", "User name", { maxLength: 200 })}
          {field("password", "Token or password", { type: "password", maxLength: 10_000 })}
        </div>
        <button type="submit" className="btn btn-primary self-end">
          <Icon name="plus" /> Save
        </button>
      </form>
      <ul className="mt-3 divide-y divide-line">
        {items.map((credential) => (
          <CredentialRow key={credential.id} credential={credential} onChanged={onChanged} />
        ))}
      </ul>
    </Card>
  );
}

export function GitCard({ settings, onChanged }: { settings: KeySettings; onChanged: () => void }) {
  const [draft, setDraft] = useState(settings);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    try {
      setDraft(await api.putKeySettings({ body: draft }));
      toast({ tone: "done", text: "Saved." });
      onChanged();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    }
  };
  const field = (name: keyof KeySettings, label: string, more: object = {}) => (
    <label>
      <span className="label">{label}</span>
      <input
        className="field"
        value={draft[name] ?? ""}
        onChange={(event) => setDraft({ ...draft, [name]: event.target.value === "" ? null : event.target.value })}
        {...more}
      />
    </label>
  );
  return (
    <Card title="Git and dotfiles">
      <form className="flex flex-col gap-3" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not saved" problem={problem} />
        <div className="grid gap-3 sm:grid-cols-2">
          {field("git_name", "Name in commits", { maxLength: 100, autoComplete: "name" })}
          {field("git_email", "E-mail in commits", { type: "email", maxLength: 200, autoComplete: "email" })}
        </div>
        {field("dotfiles_address", "Repository with your dotfiles", {
          placeholder: "https://github.com/you/dotfiles",
          spellCheck: false,
        })}
        {field("dotfiles_command", "Command that installs them", {
          placeholder: "./install.sh",
          maxLength: 500,
          spellCheck: false,
          disabled: draft.dotfiles_address === null,
        })}
        <p className="hint">What you set in a workspace yourself, or a repository sets, wins over this.</p>
        <button type="submit" className="btn btn-primary self-end">
          Save
        </button>
      </form>
    </Card>
  );
}
