import { ApiError, type Workspace } from "@codehub/contract";
import { type FormEvent, useState } from "react";
import { ProblemNotice } from "../problem-notice.tsx";
import { useSession } from "../session.tsx";
import { Card } from "../ui/basics.tsx";
import { gib, growHome, homeRoom, inGib } from "./grow-home.ts";

/** How much a home may hold, where that is limited, and the way to more. */
export function HomeSizeCard({ workspace }: { workspace: Workspace }) {
  const room = homeRoom(workspace, useSession().session);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<ApiError | null>(null);
  if (room === null) return null;
  const { held, most } = room;
  const asked = Math.round(Number(typed) * gib);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    try {
      await growHome(workspace, asked);
      setTyped("");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    }
  };
  return (
    <Card title="Size of the home">
      <form className="flex flex-col gap-3" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not done" problem={problem} />
        <p className="text-sm text-ink-2">The home may hold {inGib(held)} GiB. It can be made larger, never smaller.</p>
        {most !== null && most <= held ? (
          <p className="hint">An administrator can give it more.</p>
        ) : (
          <div className="flex items-end gap-2">
            <label className="min-w-0 flex-1">
              <span className="label">New size in GiB</span>
              <input
                className="field"
                type="number"
                step="any"
                required
                min={inGib(held + gib / 100)}
                {...(most === null ? {} : { max: inGib(most) })}
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            </label>
            <button type="submit" className="btn" disabled={!(asked > held)}>
              Make larger
            </button>
          </div>
        )}
      </form>
    </Card>
  );
}
