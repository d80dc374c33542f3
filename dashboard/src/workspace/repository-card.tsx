import { duration, type Setup, type Workspace } from "@codehub/contract";
import type { ReactNode } from "react";
import { getRepository, report, skipSetup } from "../actions.ts";
import { pathOf } from "../hooks/router.ts";
import { Card, Link, Notice, Progress, Time } from "../ui/basics.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Output } from "../ui/output.tsx";
import { showOverlay } from "../ui/overlay.ts";
import { progressWords, shareOf, waitingWords } from "../words/next-words.ts";
import { badgeMarkdown, isAboutKeys, shortCommit } from "../words/repository-words.ts";

/** The row hears first that it is being got. */
const stateOf = ({ operation, setup }: Workspace): Setup["state"] | null =>
  operation === "PREPARING" ? "preparing" : (setup?.state ?? null);

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="eyebrow">{name}</dt>
    <dd className="mt-1 flex min-w-0 flex-wrap items-center gap-2 text-ink-2">{children}</dd>
  </div>
);

function Underway({ workspace, own, waits }: { workspace: Workspace; own: boolean; waits: boolean }) {
  const up = workspace.desired_state === "RUNNING";
  const line = waitingWords(workspace);
  return (
    <div>
      <p role="status" className="text-sm">
        {waits
          ? up
            ? "It is got before the workspace starts."
            : "It is got when the workspace is started."
          : line === ""
            ? "Getting it…"
            : line}
      </p>
      {(up || !waits) && (
        <Progress label="Getting the repository" share={waits ? null : shareOf(workspace)} className="my-2.5" />
      )}
      <p className="min-h-5 text-[13px] text-ink-2 tabular-nums">{waits ? "" : progressWords(workspace, "page")}</p>
      {own && (up || !waits) && (
        <button type="button" className="btn btn-small mt-2" onClick={() => void skipSetup(workspace.id)}>
          Open without waiting
        </button>
      )}
    </div>
  );
}

const Ready = ({ setup }: { setup: Setup }) => (
  <>
    <dl className="grid gap-4 text-sm sm:grid-cols-2">
      {setup.folder !== null && (
        <Fact name="Folder">
          <code className="font-mono wrap-anywhere">~/{setup.folder}</code>
        </Fact>
      )}
      {setup.branch !== null && (
        <Fact name="Branch">
          <code className="font-mono wrap-anywhere">{setup.branch}</code>
        </Fact>
      )}
      {setup.commit !== null && (
        <Fact name="Commit">
          <code className="font-mono" title={setup.commit}>
            {shortCommit(setup.commit)}
          </code>
          <CopyButton text={setup.commit} label="Copy the commit" />
        </Fact>
      )}
      {setup.finished_at !== null && (
        <Fact name="Got">
          <span>
            <Time at={setup.finished_at} />
            {setup.took_seconds !== null && `, in ${duration(setup.took_seconds)}`}
          </span>
        </Fact>
      )}
    </dl>
    {setup.notices.map(({ code, message }) => (
      <div key={`${code} ${message}`} className="mt-3">
        <Notice tone="warning" title={message} />
      </div>
    ))}
  </>
);

/** A workspace that runs is stopped for another try, so it is asked first. */
async function tryAgain(workspace: Workspace): Promise<void> {
  if (workspace.phase === "RUNNING") showOverlay({ kind: "repository", workspace, again: true });
  else await getRepository(workspace.id, {}).catch(report);
}

const Again = ({ workspace, label }: { workspace: Workspace; label: string }) => (
  <button type="button" className="btn btn-primary btn-small" onClick={() => void tryAgain(workspace)}>
    <Icon name="refresh" /> {label}
  </button>
);

const Other = ({ workspace }: { workspace: Workspace }) => (
  <button
    type="button"
    className="btn btn-small"
    onClick={() => showOverlay({ kind: "repository", workspace, again: false })}
  >
    Use another address
  </button>
);

const Failed = ({ workspace, failure, own }: { workspace: Workspace; failure: Setup["failure"]; own: boolean }) => (
  <>
    <Notice tone="error" title={failure?.message ?? "It could not be got."} live>
      The workspace opens all the same, without the project.
    </Notice>
    {failure !== null && failure.detail.trim() !== "" && (
      <details className="mt-3 text-sm">
        <summary className="rounded-sm font-medium text-ink-2">What git said</summary>
        <div className="mt-2">
          <Output>{failure.detail.trim()}</Output>
        </div>
      </details>
    )}
    {own && (
      <div className="mt-3 flex flex-wrap gap-2">
        <Again workspace={workspace} label="Try again" />
        <Other workspace={workspace} />
        {failure !== null && isAboutKeys(failure.code) && (
          <Link to={pathOf.keys} className="btn btn-small">
            <Icon name="key" /> Keys and variables
          </Link>
        )}
      </div>
    )}
  </>
);

const Skipped = ({ workspace, own }: { workspace: Workspace; own: boolean }) => (
  <>
    <p className="text-sm text-ink-2">It was not waited for: the workspace opened without it.</p>
    {own && (
      <div className="mt-3 flex flex-wrap gap-2">
        <Again workspace={workspace} label="Get it now" />
        <Other workspace={workspace} />
      </div>
    )}
  </>
);

function Badge({ repository }: { repository: NonNullable<Workspace["repository"]> }) {
  const markdown = badgeMarkdown(location.origin, repository);
  return (
    <details className="text-sm">
      <summary className="rounded-sm font-medium text-ink-2">Badge for a README</summary>
      <p className="mt-2 text-ink-2">Whoever follows it finds the dialog filled in, and decides there.</p>
      <img src="/badge.svg" alt="Open in CodeHub" width={148} height={28} className="my-3" />
      <code className="mb-2 block rounded-lg bg-sunken p-3 font-mono text-[13px] break-all select-all">{markdown}</code>
      <CopyButton text={markdown} label="Copy the Markdown of the badge" />
    </details>
  );
}

/** The repository of a workspace: how far it is, what became of it, and what can be done about that. */
export function RepositoryCard({ workspace, own }: { workspace: Workspace; own: boolean }) {
  const { repository, setup } = workspace;
  const state = stateOf(workspace);
  if (repository === null || setup === null || state === null) return null;
  const settled = state === "ready" || state === "failed" || state === "skipped";
  return (
    <Card title="Repository">
      <p className="-mt-2 mb-4 text-sm text-ink-2 wrap-anywhere">
        <strong className="font-semibold text-ink">{repository.key}</strong>
        {repository.ref !== null && <> at {shortCommit(repository.ref)}</>}
        {!workspace.keys_allowed && ". Your keys and secrets are left out."}
      </p>
      {(state === "waiting" || state === "preparing") && (
        <Underway workspace={workspace} own={own} waits={state === "waiting"} />
      )}
      {state === "ready" && <Ready setup={setup} />}
      {state === "failed" && <Failed workspace={workspace} failure={setup.failure} own={own} />}
      {state === "skipped" && <Skipped workspace={workspace} own={own} />}
      {own && (
        <div className="mt-4 flex flex-col gap-3 border-t border-line pt-4">
          {settled && state !== "skipped" && (
            <div className="flex flex-wrap gap-2">
              <button
                type="button"
                className="btn btn-small"
                onClick={() => showOverlay({ kind: "setup_log", workspace })}
              >
                <Icon name="book" /> What git said, in full
              </button>
              {state === "ready" && <Other workspace={workspace} />}
            </div>
          )}
          <Badge repository={repository} />
        </div>
      )}
    </Card>
  );
}
