import { type UsageGap, type UsageRange, usageGapWords, type Workspace, type WorkspaceUsage } from "@codehub/contract";
import { useState } from "react";
import { api } from "../api.ts";
import { bytes, clockTime, dayAndTime } from "../format/format.ts";
import { cores, lineOf } from "../format/usage.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { Card, Time } from "../ui/basics.tsx";

const refreshMs = 60_000;
/** A look a minute: one that is older says nothing of now. */
const freshMs = 180_000;
const width = 600;
const height = 40;

const ranges: Readonly<Record<UsageRange, { readonly label: string; readonly words: string }>> = {
  hour: { label: "1 hour", words: "the last hour" },
  day: { label: "1 day", words: "the last day" },
  month: { label: "30 days", words: "the last 30 days" },
};

type Step = WorkspaceUsage["series"][number];

interface Figure {
  readonly name: string;
  readonly now: string | null;
  readonly gap: UsageGap | undefined;
  readonly of: (step: Step) => number | null;
  readonly words: (value: number) => string;
}

/** Processor and memory are of now or of nobody; the home and its disk stay as they are while nothing runs. */
function figuresOf({ latest }: WorkspaceUsage, running: boolean): Figure[] {
  const disk = latest?.disk ?? null;
  const { missing = {}, cpu_cores: cpu = null, memory_bytes: memory = null, home_bytes: home = null } = latest ?? {};
  const only = <T,>(value: T | null, words: (value: T) => string) => (value === null ? null : words(value));
  const now = running ? missing : {};
  const full = disk === null ? null : `${bytes(disk.used_bytes)} of ${bytes(disk.total_bytes)}`;
  const own = disk !== null && !disk.shared;
  return [
    {
      ...{ name: "Processor", gap: now.cpu, of: (step: Step) => step.cpu_cores, words: cores },
      now: running ? only(cpu, cores) : null,
    },
    {
      ...{ name: "Memory", gap: now.memory, of: (step: Step) => step.memory_bytes, words: bytes },
      now: running ? only(memory, bytes) : null,
    },
    {
      ...{ name: "Home", gap: missing.home, of: (step: Step) => step.home_bytes, words: bytes },
      now: own ? full : only(home, bytes),
    },
    ...(own
      ? []
      : [
          {
            ...{ name: "Disk of all homes", gap: missing.disk, of: (step: Step) => step.disk_used_bytes, words: bytes },
            now: full,
          },
        ]),
  ];
}

function Picture({ usage, figure, words }: { usage: WorkspaceUsage; figure: Figure; words: string }) {
  const [from, to] = [new Date(usage.from).getTime(), new Date(usage.to).getTime()];
  const points = usage.series.map((step) => ({ at: new Date(step.at).getTime(), value: figure.of(step) }));
  const line = lineOf(points, { from, to, stepMs: usage.step_seconds * 1000, width, height });
  if (line === null) return null;
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${figure.name} over ${words}: ${figure.words(line.peak)} at most`}
      className="mt-1 h-10 w-full overflow-hidden rounded-md bg-sunken"
    >
      {line.areas.map((path) => (
        <path key={path} d={path} className="fill-accent-soft" />
      ))}
      {line.strokes.map((path) => (
        <path key={path} d={path} className="fill-none stroke-accent stroke-[1.5]" vectorEffect="non-scaling-stroke" />
      ))}
      <title>{`${figure.words(line.peak)} at most`}</title>
    </svg>
  );
}

/** What the workspace uses, now and over a time; where a figure is not to be had, why. */
export function UsageCard({ workspace }: { workspace: Workspace }) {
  const [range, setRange] = useState<UsageRange>("hour");
  const used = useQuery(
    `usage ${workspace.id} ${range}`,
    () => api.getUsage({ params: { id: workspace.id }, query: { range } }),
    { repeatMs: refreshMs, refreshOn: workspace.phase },
  );
  const { data: usage } = used;
  const choice = (
    <fieldset className="flex rounded-lg bg-sunken p-0.5">
      <legend className="sr-only">Range of what was used</legend>
      {Object.entries(ranges).map(([key, { label }]) => (
        <button
          key={key}
          type="button"
          aria-pressed={range === key}
          onClick={() => setRange(key as UsageRange)}
          className={`min-h-7 rounded-md px-2.5 text-[13px] ${range === key ? "bg-surface font-medium text-ink shadow-card" : "text-ink-2"}`}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
  return (
    <Card title="Usage" aside={choice}>
      <NotThere small query={used} title="The usage cannot be loaded" loading="Loading what it used" />
      {usage !== null && <Figures usage={usage} running={workspace.phase === "RUNNING"} />}
    </Card>
  );
}

function Figures({ usage, running }: { usage: WorkspaceUsage; running: boolean }) {
  const { latest } = usage;
  if (latest === null) return <p className="text-sm text-ink-3">Measured once a minute while it runs.</p>;
  const fresh = running && new Date(usage.to).getTime() - new Date(latest.at).getTime() < freshMs;
  const from = new Date(usage.from).getTime();
  const { words } = ranges[usage.range];
  return (
    <>
      <dl className="flex flex-col gap-4">
        {figuresOf(usage, fresh).map((figure) => (
          <div key={figure.name}>
            <dt className="inline text-sm text-ink-2">{figure.name}</dt>
            <dd className="float-right text-sm font-medium tabular-nums">{figure.now ?? "–"}</dd>
            {figure.gap !== undefined && <dd className="text-[13px] text-ink-3">{usageGapWords[figure.gap]}</dd>}
            <dd>
              <Picture usage={usage} figure={figure} words={words} />
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-3 flex justify-between text-xs text-ink-3 tabular-nums">
        <span aria-hidden="true">{usage.range === "hour" ? clockTime(from) : dayAndTime(from)}</span>
        {fresh ? (
          <span>now</span>
        ) : (
          <span>
            last measured <Time at={latest.at} />
          </span>
        )}
      </p>
    </>
  );
}
