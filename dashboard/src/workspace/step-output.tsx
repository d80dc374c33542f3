import type { ProjectSetup } from "@codehub/contract";
import { useState } from "react";
import { api, problemText } from "../api.ts";
import { useQuery } from "../hooks/use-query.ts";
import { Spinner } from "../ui/basics.tsx";
import { Output } from "../ui/output.tsx";
import { hasOutput, nameWords } from "../words/project-words.ts";

const FOLLOW_MS = 2_000;

interface StepOutputProps {
  readonly workspaceId: string;
  readonly step: ProjectSetup["steps"][number];
  readonly running: boolean;
}

/** A button that shows what a step has written, and follows it while it runs. */
export function StepOutput({ workspaceId, step, running }: StepOutputProps) {
  const [open, setOpen] = useState(false);
  if (!hasOutput(step.state, running)) return null;
  return (
    <div className="mt-1">
      <button
        type="button"
        className="btn btn-ghost btn-small"
        aria-expanded={open}
        aria-label={`${open ? "Hide" : "Show"} output of ${nameWords(step.name)}`}
        onClick={() => setOpen(!open)}
      >
        {open ? "Hide output" : "Show output"}
      </button>
      {open && <Written workspaceId={workspaceId} step={step} />}
    </div>
  );
}

function Written({ workspaceId, step }: Omit<StepOutputProps, "running">) {
  const { name, state, started_at: startedAt } = step;
  const { data, error } = useQuery(
    `output ${workspaceId} ${name} ${startedAt}`,
    () => api.getStepOutput({ params: { id: workspaceId }, query: { step: name } }),
    { refreshOn: String(state), ...(state === "running" ? { repeatMs: FOLLOW_MS } : {}) },
  );
  if (data === null)
    return error === null ? (
      <Spinner label="Reading" />
    ) : (
      <p className="text-[13px] text-error">{problemText(error)}</p>
    );
  if (data.beginning === "") return <p className="text-[13px] text-ink-2">It has written nothing so far.</p>;
  return (
    <>
      <Output>{data.beginning}</Output>
      {data.end !== null && (
        <>
          <p className="my-1 text-[13px] text-ink-2">
            What is between is in <code className="font-mono">~/.local/state/codehub/log/{name}.log</code>.
          </p>
          <Output>{data.end}</Output>
        </>
      )}
    </>
  );
}
