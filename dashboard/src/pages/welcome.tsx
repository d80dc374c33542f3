import { useState } from "react";
import { create, report } from "../actions.ts";
import { ttl } from "../format/format.ts";
import { navigate, pathOf } from "../hooks/router.ts";
import { useSession } from "../session.tsx";
import { Dot } from "../ui/basics.tsx";
import { Icon, Logo } from "../ui/icons.tsx";
import { showOverlay } from "../ui/overlay.ts";
import { phaseLook } from "../words/words.ts";

/** The first thing a new user sees: one click to a workspace, and what will become of it, in three lines. */
export function Welcome() {
  const { session } = useSession();
  const [busy, setBusy] = useState(false);
  const { default_standby_ttl_seconds: standby, default_archive_ttl_seconds: archive } = session.deployment.limits;
  const start = async () => {
    setBusy(true);
    try {
      const workspace = await create({ name: "First workspace" });
      navigate(pathOf.workspace(workspace.id));
    } catch (error) {
      setBusy(false);
      report(error, start);
    }
  };
  const facts = [
    { phase: "RUNNING", text: "You open it and work. Typing and running things keep it awake." },
    {
      phase: "STANDBY",
      text:
        standby === 0
          ? "Stop it when you are done. Your home stays on disk, the rest is freed."
          : `After ${ttl(standby)} without you it stops. Your home stays on disk, the rest is freed.`,
    },
    {
      phase: "ARCHIVED",
      text: `${archive === 0 ? "When you ask for it" : `After ${ttl(archive)} more`} the home is packed, read back and verified. Opening brings it back.`,
    },
  ] as const;
  return (
    <div className="mx-auto flex max-w-3xl flex-col items-center pt-8 text-center sm:pt-16">
      <Logo className="mb-6 size-16" />
      <h1 className="text-3xl font-semibold tracking-tight">Welcome, {session.user.username}</h1>
      <p className="mt-3 max-w-xl text-base text-ink-2">
        A workspace is a home directory with an editor and a terminal in your browser. It sleeps when you do and comes
        back as you left it.
      </p>
      <div className="mt-8 flex flex-wrap justify-center gap-3">
        <button
          type="button"
          className="btn btn-primary min-h-11 px-6 text-base"
          disabled={busy}
          onClick={() => void start()}
        >
          <Icon name="plus" className="size-5" /> {busy ? "Creating your workspace" : "Create my first workspace"}
        </button>
        <button type="button" className="btn min-h-11" onClick={() => showOverlay({ kind: "create" })}>
          Choose name and settings
        </button>
      </div>
      <ol className="mt-14 grid w-full gap-4 text-left sm:grid-cols-3">
        {facts.map(({ phase, text }) => (
          <li key={phase} className="card p-5">
            <span className="mb-2 flex items-center gap-2 text-sm font-semibold">
              <Dot className={phaseLook[phase].dot} /> {phaseLook[phase].word}
            </span>
            <span className="text-sm text-ink-2">{text}</span>
          </li>
        ))}
      </ol>
      <p className="mt-6 text-[13px] text-ink-3">
        Only the home directory survives standby: keep what matters under <code className="font-mono">~</code>.
      </p>
    </div>
  );
}
