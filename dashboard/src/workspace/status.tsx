import { catalogue, type Listed } from "@codehub/contract";
import { useNow } from "../hooks/clock.ts";
import { useLive } from "../live/store.ts";
import { Dot, Progress } from "../ui/basics.tsx";
import { nextWords, nowWords, progressWords, shareOf } from "../words/next-words.ts";
import { phaseLook, statusWord } from "../words/words.ts";

/** Dot and word. While something is only asked for, the word says that it is asked. */
export function Status({ workspace }: { workspace: Listed }) {
  const pending = useLive((state) => state.pending.get(workspace.id));
  const look = phaseLook[workspace.phase];
  const busy = workspace.operation !== "NONE" || pending !== undefined;
  return (
    <span
      className={`inline-flex max-w-full items-center gap-2 rounded-full px-2.5 py-1 text-[13px] font-medium ${look.soft} ${look.text}`}
    >
      <Dot className={look.dot} busy={busy} />
      <span className="truncate">{pending === undefined ? statusWord(workspace) : `${pending.label}…`}</span>
    </span>
  );
}

/** What it does now, with a bar while it does something, and what happens next. */
export function NowAndNext({ workspace }: { workspace: Listed }) {
  const now = useNow(1000);
  if (workspace.operation === "NONE") {
    const broken = workspace.phase === "ERROR" ? workspace.error : null;
    const next = broken === null ? nextWords(workspace, now) : catalogue.errors[broken.reason].title;
    return (
      <>
        <span className="block truncate text-sm text-ink" title={nowWords(workspace)}>
          {next === "" ? nowWords(workspace) : next}
        </span>
        {next !== "" && workspace.phase === "ERROR" && (
          <span className="block truncate text-[13px] text-ink-3" title={nowWords(workspace)}>
            {nowWords(workspace)}
          </span>
        )}
      </>
    );
  }
  return (
    <>
      <span className="block truncate text-sm text-ink">{nowWords(workspace)}</span>
      <Progress
        label={`${workspace.name}: ${statusWord(workspace)}`}
        share={shareOf(workspace)}
        className="my-1.5 max-w-64"
      />
      <span className="block truncate text-[13px] text-ink-3 tabular-nums">{progressWords(workspace, "row")}</span>
    </>
  );
}
