import { type System, span } from "@codehub/contract";
import { clockTime, count, dayName } from "../format/format.ts";
import { stackOf, stackOrder } from "../format/stack.ts";
import { ticksOf } from "../format/timeline.ts";
import { Dot } from "../ui/basics.tsx";
import { phaseLook } from "../words/words.ts";

const width = 1000;
const height = 200;

/** How many workspaces were in which phase, over the time the server remembers. */
export function FleetPicture({ system }: { system: System }) {
  const now = new Date(system.now).getTime();
  const stack = stackOf(system.history, now, width, height);
  const legend = (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-[13px] text-ink-2">
      {stackOrder.map((phase) => (
        <li key={phase} className="flex items-center gap-1.5">
          <Dot className={phaseLook[phase].dot} /> {phaseLook[phase].word}{" "}
          <strong className="text-ink tabular-nums">{count(system.counts[phase])}</strong>
        </li>
      ))}
    </ul>
  );
  if (stack === null)
    return (
      <>
        {legend}
        <p className="mt-4 text-sm text-ink-3">
          The picture over time begins with the first sample, within a few minutes.
        </p>
      </>
    );
  const at = (moment: number) => (moment - stack.from) / (stack.to - stack.from);
  const long = stack.to - stack.from > 2 * 86_400_000;
  const ticks = ticksOf(stack.from, stack.to, 7, -new Date(now).getTimezoneOffset() * 60_000);
  return (
    <>
      {legend}
      <div className="relative mt-4 pl-9">
        <div aria-hidden="true" className="absolute inset-y-0 left-0 h-48 text-xs text-ink-3 tabular-nums">
          <span className="absolute -top-2">{count(stack.top)}</span>
          <span className="absolute top-1/2 -translate-y-1/2">{count(stack.top / 2)}</span>
          <span className="absolute -bottom-2">0</span>
        </div>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Workspaces per phase over the last ${span(stack.to - stack.from)}; now ${stackOrder.map((phase) => `${system.counts[phase]} ${phaseLook[phase].word.toLowerCase()}`).join(", ")}`}
          className="h-48 w-full"
        >
          {[0, 0.5, 1].map((level) => (
            <line
              key={level}
              x1="0"
              x2={width}
              y1={height * level}
              y2={height * level}
              className="stroke-line"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {stack.bands.map(({ phase, path }) => (
            <path key={phase} d={path} className={`${phaseLook[phase].fill} opacity-80`} />
          ))}
        </svg>
        <div aria-hidden="true" className="relative mt-1 h-5 text-xs text-ink-3 tabular-nums">
          {ticks
            .filter((tick) => at(tick) > 0.02 && at(tick) < 0.9)
            .map((tick) => (
              <span key={tick} className="absolute -translate-x-1/2" style={{ left: `${at(tick) * 100}%` }}>
                {long ? dayName(tick) : clockTime(tick)}
              </span>
            ))}
          <span className="absolute right-0">now</span>
        </div>
      </div>
    </>
  );
}
