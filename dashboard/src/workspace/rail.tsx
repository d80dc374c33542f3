import type { Explain, Workspace } from "@codehub/contract";
import { Icon } from "../ui/icons.tsx";
import { type Level, levels, phaseLook, wayOf } from "../words/words.ts";

const costs: Readonly<Record<Level, string>> = {
  PENDING: "no home yet",
  ARCHIVED: "object storage",
  STANDBY: "disk",
  RUNNING: "disk, CPU, memory",
};

const isLevel = (phase: string): phase is Level => levels.some((level) => level === phase);

/** In error the rail shows where it was: that is where recovery goes on from. */
function stationOf(workspace: Workspace): Level | null {
  if (isLevel(workspace.phase)) return workspace.phase;
  const before = workspace.error?.previous_phase ?? null;
  if (before !== null && isLevel(before)) return before;
  if (workspace.safety.home_in === "volume") return "STANDBY";
  return workspace.safety.home_in === "archive" ? "ARCHIVED" : null;
}

/** The edge between two neighbours is travelled when the operation under way or one still to come crosses it. */
function edgeState(left: number, workspace: Workspace, path: Explain["path"]): "idle" | "now" | "planned" {
  const crosses = (operation: Workspace["operation"]) => {
    if (operation === "NONE") return false;
    const { from, to } = wayOf(operation);
    if (from === null || to === null) return false;
    const [low, high] = [levels.indexOf(from), levels.indexOf(to)].sort((a, b) => a - b);
    return left >= (low ?? 0) && left < (high ?? 0);
  };
  if (crosses(workspace.operation)) return "now";
  return path.some(({ operation }) => crosses(operation)) ? "planned" : "idle";
}

export function Rail({ workspace, path }: { workspace: Workspace; path: Explain["path"] }) {
  const here = stationOf(workspace);
  const requested = workspace.desired_state;
  const broken = workspace.phase === "ERROR";
  return (
    <ol className="grid grid-cols-4 pt-6" aria-label="Levels, from cheapest to running">
      {levels.map((level, index) => {
        const look = phaseLook[level];
        const present = level === here;
        const edge = index === levels.length - 1 ? null : edgeState(index, workspace, path);
        return (
          <li key={level} aria-current={present ? "step" : undefined} className="relative flex flex-col items-center">
            {edge !== null && (
              <span
                aria-hidden="true"
                className="absolute top-3.5 left-1/2 h-1 w-full -translate-y-1/2 overflow-hidden bg-line"
              >
                {edge === "now" && <span className="block h-full w-1/3 animate-sheen bg-accent-fill" />}
                {edge === "planned" && <span className="block h-full w-full bg-accent/40" />}
              </span>
            )}
            {level === requested && (
              <span className="absolute -top-6 rounded-full whitespace-nowrap bg-accent-soft px-2 py-px text-xs font-semibold text-accent">
                {present ? "as requested" : "requested"}
              </span>
            )}
            <span
              className={`relative grid size-7 place-items-center rounded-full border-4 border-surface ${
                present ? (broken ? "bg-error" : look.dot) : "bg-line"
              } ${present ? "ring-2 ring-current" : ""} ${broken ? "text-error" : look.text}`}
            >
              {present && <Icon name={broken ? "warning" : "check"} className="size-3.5 text-surface" />}
            </span>
            <span className={`mt-1.5 text-[13px] font-semibold ${present ? "text-ink" : "text-ink-3"}`}>
              {look.word}
            </span>
            <span className="hidden text-center text-xs text-ink-3 sm:block">{costs[level]}</span>
            {present && <span className="sr-only">{broken ? "was here when the error came" : "present level"}</span>}
          </li>
        );
      })}
    </ol>
  );
}
