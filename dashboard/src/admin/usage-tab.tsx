import type { UsageReport } from "@codehub/contract";
import { useState } from "react";
import { api } from "../api.ts";
import { bytes, dayName, hours } from "../format/format.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { Card, Empty, Sideways } from "../ui/basics.tsx";

const choices = [4, 12, 26, 52] as const;
const WIDTH = 1000;
const HEIGHT = 160;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const last = (values: readonly number[]): number => values.at(-1) ?? 0;

/** One bar for each week; its figures are in the table below and in its description. */
function Bars({
  label,
  values,
  weeks,
  said,
}: {
  label: string;
  values: readonly number[];
  weeks: readonly string[];
  said: (value: number) => string;
}) {
  const top = Math.max(...values, 0);
  const step = WIDTH / Math.max(1, values.length);
  const first = weeks[0] ?? "";
  return (
    <figure>
      <figcaption className="flex justify-between gap-3 text-[13px] text-ink-3">
        <span>{label}</span>
        <span className="tabular-nums">{top === 0 ? "nothing in these weeks" : `up to ${said(top)}`}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label} by week since ${dayName(new Date(first).getTime())}: ${values.map(said).join(", ")}`}
        className="mt-2 h-32 w-full"
      >
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} className="stroke-line" vectorEffect="non-scaling-stroke" />
        {values.map((value, index) => {
          const height = top === 0 ? 0 : (value / top) * HEIGHT;
          return (
            <rect
              key={weeks[index]}
              x={index * step + step * 0.1}
              y={HEIGHT - height}
              width={step * 0.8}
              height={height}
              className="fill-accent-fill"
            >
              <title>{`Week of ${dayName(new Date(weeks[index] ?? "").getTime())}: ${said(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div aria-hidden="true" className="mt-1 flex justify-between text-xs text-ink-3 tabular-nums">
        <span>{dayName(new Date(first).getTime())}</span>
        <span>this week</span>
      </div>
    </figure>
  );
}

const Table = ({ users }: { users: UsageReport["users"] }) => (
  <Sideways label="Table of usage" className="card">
    <table className="w-full text-sm">
      <thead className="text-[13px] text-ink-3">
        <tr>
          <th className="px-4 py-3 text-left font-medium">User</th>
          <th className="px-4 py-3 text-right font-medium">Running, in all</th>
          <th className="px-4 py-3 text-right font-medium">This week</th>
          <th className="px-4 py-3 text-right font-medium">Homes</th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.user_id} className="border-t border-line">
            <th scope="row" className="px-4 py-2.5 text-left font-medium">
              {user.username}
            </th>
            <td className="px-4 py-2.5 text-right tabular-nums">{hours(sum(user.hours))}</td>
            <td className="px-4 py-2.5 text-right tabular-nums">{hours(last(user.hours))}</td>
            <td className="px-4 py-2.5 text-right tabular-nums">{bytes(last(user.home_bytes))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Sideways>
);

function Report({ report }: { report: UsageReport }) {
  const [who, setWho] = useState("");
  const shown = report.users.filter(({ user_id }) => who === "" || user_id === who);
  const byWeek = (of: (user: UsageReport["users"][number]) => readonly number[]) =>
    report.weeks.map((_, week) => sum(shown.map((user) => of(user)[week] ?? 0)));
  if (report.users.length === 0)
    return (
      <Empty icon="gauge" title="Nothing was used">
        No workspace ran or was archived in these weeks.
      </Empty>
    );
  const most = report.users.toSorted((a, b) => sum(b.hours) - sum(a.hours));
  return (
    <div className="flex flex-col gap-5">
      <Card
        title="By week"
        aside={
          <select
            aria-label="Whose"
            className="field w-44"
            value={who}
            onChange={(event) => setWho(event.target.value)}
          >
            <option value="">Everybody</option>
            {report.users.map(({ user_id, username }) => (
              <option key={user_id} value={user_id}>
                {username}
              </option>
            ))}
          </select>
        }
      >
        <div className="grid gap-6 lg:grid-cols-2">
          <Bars label="Running" values={byWeek((user) => user.hours)} weeks={report.weeks} said={hours} />
          <Bars label="Homes" values={byWeek((user) => user.home_bytes)} weeks={report.weeks} said={bytes} />
        </div>
      </Card>
      <Table users={most} />
      <p className="text-[13px] text-ink-3">
        Weeks begin on Monday, UTC. Homes are as large as when they were last archived. What was given to somebody else
        counts for whose it is now.
      </p>
    </div>
  );
}

/** What everybody used, by week. */
export function UsageTab() {
  const [weeks, setWeeks] = useState<number>(12);
  const usage = useQuery(`usage ${weeks}`, () => api.getUsageReport({ query: { weeks } }));
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <select
          aria-label="How far back"
          className="field w-44"
          value={weeks}
          onChange={(event) => setWeeks(Number(event.target.value))}
        >
          {choices.map((count) => (
            <option key={count} value={count}>
              {count} weeks
            </option>
          ))}
        </select>
        <a className="btn btn-small ml-auto" href={api.url("downloadUsage", { query: { weeks } })}>
          Download as CSV
        </a>
      </div>
      <NotThere query={usage} title="The usage cannot be loaded" loading="Adding up" />
      {usage.data !== null && <Report report={usage.data} />}
    </>
  );
}
