import { ApiError, type Workspace } from "@codehub/contract";
import { type FormEvent, useState } from "react";
import { api } from "../api.ts";
import { takeAnswer } from "../live/store.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { useSession } from "../session.tsx";
import { Card } from "../ui/basics.tsx";
import { toast } from "../ui/toasts.tsx";

const gib = 1024 ** 3;
const inGib = (bytes: number): string => String(Math.round((bytes / gib) * 100) / 100);

/** How much a home may hold, where that is limited, and the way to more. */
export function HomeSizeCard({ workspace }: { workspace: Workspace }) {
  const { user, deployment } = useSession().session;
  const sizes = deployment.limits.home_sizes;
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<ApiError | null>(null);
  if (sizes === null) return null;
  const held = Math.max(workspace.home_size_bytes ?? 0, sizes.new_bytes);
  const most = user.role === "admin" ? null : sizes.owner_max_bytes;
  const asked = Math.round(Number(typed) * gib);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    try {
      await takeAnswer(api.growHome({ params: { id: workspace.id }, body: { size_bytes: asked } }));
      setTyped("");
      toast({ tone: "done", text: "Asked for a larger home. The history says what came of it." });
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
