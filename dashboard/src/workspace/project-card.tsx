import type { ProjectSetup, Workspace } from "@codehub/contract";
import { useState } from "react";
import { allowCommands } from "../actions.ts";
import { api } from "../api.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { Card, Notice } from "../ui/basics.tsx";
import { nameWords, runsWords, stepWords } from "../words/project-words.ts";
import { StepOutput } from "./step-output.tsx";

const LOOK_MS = 5_000;

/** A project's own set-up: its commands word by word, how far they are, and what of its file has no effect. */
export function ProjectCard({ workspace }: { workspace: Workspace }) {
  const { id, setup, phase } = workspace;
  const running = phase === "RUNNING";
  const project = useQuery(`project ${id} ${setup?.finished_at}`, () => api.getProject({ params: { id } }), {
    refreshOn: workspace.version,
    ...(running ? { repeatMs: LOOK_MS } : {}),
  });
  const { data, error } = project;
  if (error !== null && data === null)
    return (
      <Card title="Its own set-up">
        <NotThere small query={project} title="It cannot be loaded" loading="Loading" />
      </Card>
    );
  if (data === null || (!data.found && data.notices.length === 0)) return null;
  return (
    <Card title="Its own set-up">
      <p className="-mt-2 mb-4 text-sm text-ink-2">
        What its <code className="font-mono">devcontainer.json</code> asks for.
      </p>
      {data.digest !== null && !data.allowed && <Asking workspace={workspace} project={data} onDone={project.reload} />}
      {data.steps.length > 0 && <Steps workspaceId={id} project={data} running={running} />}
      <Asked project={data} />
      {data.notices.length > 0 && (
        <ul className="mt-4 list-disc space-y-1 pl-5 text-sm text-ink-2">
          {data.notices.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}

interface AskingProps {
  readonly workspace: Workspace;
  readonly project: ProjectSetup;
  readonly onDone: () => void;
}

/** Commands of a repository run with its owner's keys at hand, so they are read first. */
function Asking({ workspace, project, onDone }: AskingProps) {
  const [later, setLater] = useState(false);
  if (later) return null;
  const agree = async () => {
    await allowCommands(workspace.id, project.digest ?? "");
    onDone();
  };
  return (
    <div className="mb-4">
      <Notice
        tone="warning"
        title="Run the commands of this repository?"
        actions={
          <>
            <button type="button" className="btn btn-primary btn-small" onClick={() => void agree()}>
              Run
            </button>
            <button type="button" className="btn btn-small" onClick={() => setLater(true)}>
              Not now
            </button>
          </>
        }
      >
        You have not run these before. They can do in the workspace whatever you can, with your keys; so can the
        variables that it sets, its image, and extensions and settings of the IDE.
        {workspace.phase === "RUNNING" && " The workspace is started again for it."}
      </Notice>
    </div>
  );
}

interface StepsProps {
  readonly workspaceId: string;
  readonly project: ProjectSetup;
  readonly running: boolean;
}

const Steps = ({ workspaceId, project, running }: StepsProps) => (
  <ol className="space-y-3 text-sm">
    {project.steps.map((step) => (
      <li key={step.name}>
        <p className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span>
            <strong className="font-semibold">{nameWords(step.name)}</strong>{" "}
            <span className="text-ink-2">{runsWords(step.runs)}</span>
          </span>
          <span className={step.state === "failed" || step.state === "partly" ? "text-error" : "text-ink-2"}>
            {stepWords(step, project.allowed, running)}
          </span>
        </p>
        {step.commands.map(({ name, text }) => (
          <code
            key={`${name} ${text}`}
            className="mt-1 block rounded-lg bg-sunken p-2 font-mono text-[13px] whitespace-pre-wrap wrap-anywhere"
          >
            {name !== null && <span className="text-ink-2">{name}: </span>}
            {text}
          </code>
        ))}
        <StepOutput workspaceId={workspaceId} step={step} running={running} />
      </li>
    ))}
    <li className="list-none text-[13px] text-ink-2">
      All that they write is in <code className="font-mono">~/.local/state/codehub/log</code>.
    </li>
  </ol>
);

/** What the file asks for besides commands. */
function Asked({ project }: { project: ProjectSetup }) {
  const { image, ports, variables, secrets, without_effect: withoutEffect } = project;
  const portNames = ports.map(({ port, label }) => (label === null ? String(port) : `${port} (${label})`));
  const facts = [
    ["Image", image === null ? [] : [image]],
    ["Ports", portNames],
    ["Variables", variables],
    ["Secrets to save", secrets.map(({ name }) => name)],
    ["Without effect here", withoutEffect],
  ] as const;
  const said = facts.filter(([, values]) => values.length > 0);
  if (said.length === 0) return null;
  return (
    <dl className="mt-4 grid gap-4 text-sm sm:grid-cols-2">
      {said.map(([name, values]) => (
        <div key={name} className="min-w-0">
          <dt className="eyebrow">{name}</dt>
          <dd className="mt-1 text-ink-2 wrap-anywhere">{values.join(", ")}</dd>
        </div>
      ))}
    </dl>
  );
}
