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

/** In one line what it does now, over a bar while it does something, or what happens next. */
export function NowAndNext({ workspace }: { workspace: Listed }) {
  const now = useNow(1000);
  const does = nowWords(workspace);
  if (workspace.operation === "NONE") {
    const broken = workspace.phase === "ERROR" ? workspace.error : null;
    const next = broken === null ? nextWords(workspace, now) : catalogue.errors[broken.reason].title;
    return (
      <span className="block truncate text-[13px] text-ink-2" title={does}>
        {next === "" ? does : next}
        {next !== "" && broken !== null && <span className="text-ink-3"> · {does}</span>}
      </span>
    );
  }
  const progress = progressWords(workspace, "row");
  return (
    <>
      <span className="flex min-w-0 gap-2 text-[13px]" title={does}>
        <span className="truncate text-ink">{does}</span>
        <span className="truncate text-ink-3 tabular-nums">{progress}</span>
      </span>
      <Progress
        label={`${workspace.name}: ${statusWord(workspace)}`}
        share={shareOf(workspace)}
        className="mt-0.5 max-w-72"
        thin
      />
    </>
  );
}
