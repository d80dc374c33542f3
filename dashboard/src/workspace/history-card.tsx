import type { HistoryEvent, Workspace } from "@codehub/contract";
import { ApiError, actorText } from "@codehub/contract";
import { useState } from "react";
import { report } from "../actions.ts";
import { api } from "../api.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { Card, LongText, Time } from "../ui/basics.tsx";
import { eventWords, isFailure, isPhaseChange } from "../words/event-words.ts";
import { phaseLook } from "../words/words.ts";
import { Timeline } from "./timeline.tsx";

function tone(event: HistoryEvent): string {
  if (isFailure(event)) return "bg-error";
  if (isPhaseChange(event) && event.to_phase !== null) return phaseLook[event.to_phase].dot;
  return "bg-line-strong";
}

/** `noted`: changes with what is written down without a change of the workspace itself. */
export function HistoryCard({ workspace, noted }: { workspace: Workspace; noted: number }) {
  const first = useQuery(
    `history ${workspace.id}`,
    () => api.listHistory({ params: { id: workspace.id }, query: { limit: 200 } }),
    { refreshOn: `${workspace.version} ${noted}` },
  );
  const [older, setOlder] = useState<{ items: HistoryEvent[]; cursor: string | null } | null>(null);
  const [shown, setShown] = useState(8);
  const events = [...(first.data?.items ?? []), ...(older?.items ?? [])];
  const cursor = older === null ? (first.data?.next_cursor ?? null) : older.cursor;

  const more = async () => {
    setShown(shown + 20);
    if (shown + 20 <= events.length || cursor === null) return;
    try {
      const page = await api.listHistory({ params: { id: workspace.id }, query: { limit: 200, cursor } });
      setOlder({ items: [...(older?.items ?? []), ...page.items], cursor: page.next_cursor });
    } catch (error) {
      if (error instanceof ApiError) report(error);
      else throw error;
    }
  };

  return (
    <Card title="History">
      <NotThere small query={first} title="The history cannot be loaded" loading="Loading the history" />
      {first.data !== null && <Timeline workspace={workspace} events={events} complete={cursor === null} />}
      <ol className="mt-5 flex flex-col">
        {events.slice(0, shown).map((event) => (
          <li key={event.id} className="flex gap-3 border-t border-line py-2.5 text-sm first:border-t-0">
            <span aria-hidden="true" className={`mt-1.5 size-2 shrink-0 rounded-full ${tone(event)}`} />
            <span className="min-w-0 flex-1 wrap-anywhere">
              <LongText text={eventWords(event)} />
              <span className="text-ink-3"> · {actorText(event.actor)}</span>
            </span>
            <Time at={event.at} className="shrink-0 text-[13px] text-ink-3" />
          </li>
        ))}
      </ol>
      {(shown < events.length || cursor !== null) && (
        <button type="button" className="btn btn-quiet btn-small mt-2" onClick={() => void more()}>
          Show older
        </button>
      )}
    </Card>
  );
}
