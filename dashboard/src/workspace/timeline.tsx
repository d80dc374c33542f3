import { type HistoryEvent, span, type Workspace } from "@codehub/contract";
import { useState } from "react";
import { clockTime, dayName, exact } from "../format/format.ts";
import { segmentsOf, sharesOf, ticksOf, within } from "../format/timeline.ts";
import { useNow } from "../hooks/clock.ts";
import { Dot } from "../ui/basics.tsx";
import { eventWords, isFailure, isPhaseChange } from "../words/event-words.ts";
import { phaseLook } from "../words/words.ts";

const hour = 3_600_000;
const ranges = [
  { label: "6 hours", ms: 6 * hour },
  { label: "1 day", ms: 24 * hour },
  { label: "7 days", ms: 7 * 24 * hour },
  { label: "30 days", ms: 30 * 24 * hour },
] as const;

/** When it was running, on standby, archived or broken, drawn to scale. Marks above the band are failures. */
export function Timeline({
  workspace,
  events,
  complete,
}: {
  workspace: Workspace;
  events: readonly HistoryEvent[];
  complete: boolean;
}) {
  const now = useNow(10_000);
  const created = new Date(workspace.created_at).getTime();
  const [chosen, setChosen] = useState<number | null>(null);
  const fitting = ranges.find(({ ms }) => ms >= now - created)?.ms ?? 7 * 24 * hour;
  const range = chosen ?? Math.min(fitting, 7 * 24 * hour);
  // A life shorter than the range fills the picture, so that a young workspace is more than a sliver at the edge.
  const from = Math.max(now - range, Math.min(created, now - 60_000));
  const width = now - from;
  const oldest = events.at(-1);
  const since = complete || oldest === undefined ? created : new Date(oldest.at).getTime();
  const segments = within(segmentsOf(events.filter(isPhaseChange), workspace.phase, since, now), from, now);
  const failures = events.filter(
    (event) => isFailure(event) && event.to_phase !== "ERROR" && new Date(event.at).getTime() >= from,
  );
  const at = (moment: number) => ((moment - from) / width) * 1000;
  const zone = -new Date(now).getTimezoneOffset() * 60_000;
  const ticks = ticksOf(from, now, 6, zone);
  const shares = sharesOf(segments);
  const label = (moment: number) => (width > 2 * 24 * hour ? dayName(moment) : clockTime(moment));

  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-ink-2">
          {shares.map(({ phase, ms }) => (
            <li key={phase} className="flex items-center gap-1.5">
              <Dot className={phaseLook[phase].dot} /> {phaseLook[phase].word} {span(ms)}
            </li>
          ))}
        </ul>
        <fieldset className="flex rounded-lg bg-sunken p-0.5">
          <legend className="sr-only">Range of the picture</legend>
          {ranges.map(({ label: text, ms }) => (
            <button
              key={ms}
              type="button"
              aria-pressed={range === ms}
              onClick={() => setChosen(ms)}
              className={`min-h-7 rounded-md px-2.5 text-[13px] ${range === ms ? "bg-surface font-medium text-ink shadow-card" : "text-ink-2"}`}
            >
              {text}
            </button>
          ))}
        </fieldset>
      </div>
      <svg
        viewBox="0 0 1000 56"
        preserveAspectRatio="none"
        role="img"
        aria-label={`The last ${span(width)}: ${shares.map(({ phase, ms }) => `${phaseLook[phase].word.toLowerCase()} for ${span(ms)}`).join(", ")}`}
        className="h-14 w-full overflow-visible"
      >
        <rect x="0" y="14" width="1000" height="36" rx="4" className="fill-sunken" />
        {ticks.map((tick) => (
          <line
            key={tick}
            x1={at(tick)}
            x2={at(tick)}
            y1="10"
            y2="54"
            className="stroke-line"
            vectorEffect="non-scaling-stroke"
          />
        ))}
        {segments.map((segment) => (
          <rect
            key={segment.from}
            x={at(segment.from)}
            y="14"
            width={Math.max(1.5, at(segment.to) - at(segment.from))}
            height="36"
            className={segment.phase === "PENDING" ? "fill-line" : phaseLook[segment.phase].fill}
          >
            <title>{`${phaseLook[segment.phase].word} for ${span(segment.to - segment.from)}\n${exact(segment.from)} to ${exact(segment.to)}`}</title>
          </rect>
        ))}
        {failures.map((event) => (
          <rect
            key={event.id}
            x={at(new Date(event.at).getTime()) - 1.5}
            y="4"
            width="3"
            height="8"
            className="fill-error"
          >
            <title>{`${eventWords(event)}\n${exact(new Date(event.at).getTime())}`}</title>
          </rect>
        ))}
      </svg>
      <div aria-hidden="true" className="relative h-5 text-xs text-ink-3 tabular-nums">
        {ticks
          .filter((tick) => at(tick) > 30 && at(tick) < 900)
          .map((tick) => (
            <span key={tick} className="absolute -translate-x-1/2" style={{ left: `${at(tick) / 10}%` }}>
              {label(tick)}
            </span>
          ))}
        <span className="absolute right-0">now</span>
      </div>
    </div>
  );
}
