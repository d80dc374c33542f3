import { type ComponentHealth, catalogue, duration, type System, span } from "@codehub/contract";
import { type ReactNode, useEffect } from "react";
import { report } from "../actions.ts";
import { api, problemText } from "../api.ts";
import { count, counted } from "../format/format.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { Card, Notice, Sideways, Time } from "../ui/basics.tsx";
import { toast } from "../ui/toasts.tsx";
import { AttentionCard } from "./attention-card.tsx";
import { CollectionCard, CollectionPaused } from "./collection-card.tsx";
import { DoctorCard } from "./doctor-card.tsx";
import { FleetPicture } from "./fleet-picture.tsx";

const Figure = ({ label, value, children }: { label: string; value: string; children: ReactNode }) => (
  <div className="card p-4 sm:p-5">
    <p className="eyebrow">{label}</p>
    <p className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">{value}</p>
    <div className="mt-1 text-[13px] text-ink-3">{children}</div>
  </div>
);

const lights: Readonly<Record<ComponentHealth["status"], { dot: string; word: string }>> = {
  ok: { dot: "bg-running", word: "OK" },
  degraded: { dot: "bg-standby", word: "Degraded" },
  down: { dot: "bg-error", word: "Down" },
  unknown: { dot: "bg-pending", word: "Unknown" },
};
const parts: Readonly<Record<ComponentHealth["name"], string>> = {
  database: "Database",
  bus: "Message bus",
  engine: "Engine",
  store: "Archive store",
  coordinator: "Coordinator",
};

const Health = ({ health }: { health: readonly ComponentHealth[] }) => (
  <Card title="Health" id="health">
    <ul className="flex flex-col gap-3.5">
      {health.map((part) => (
        <li key={part.name} className="flex gap-3 text-sm">
          <span aria-hidden="true" className={`mt-1.5 size-2.5 shrink-0 rounded-full ${lights[part.status].dot}`} />
          <div className="min-w-0 flex-1">
            <p className="flex justify-between gap-3">
              <span className="font-medium">{parts[part.name]}</span>
              <span className="text-ink-2">{lights[part.status].word}</span>
            </p>
            <p className="text-[13px] text-ink-3 wrap-anywhere">
              {part.detail}
              {part.since !== null && (
                <>
                  {" "}
                  · <Time at={part.since} />
                </>
              )}
            </p>
          </div>
        </li>
      ))}
    </ul>
  </Card>
);

function Operations({ operations }: { operations: System["operations"] }) {
  const slowest = Math.max(1, ...operations.map(({ p95_seconds }) => p95_seconds ?? 0));
  return (
    <Card title="Operations of the last 24 hours">
      <Sideways label="Table of operations">
        <table className="w-full text-sm">
          <thead className="text-left text-[13px] text-ink-3">
            <tr>
              <th className="py-1.5 pr-4 font-medium">Operation</th>
              <th className="py-1.5 pr-4 text-right font-medium">Running</th>
              <th className="py-1.5 pr-4 text-right font-medium">Finished</th>
              <th className="py-1.5 pr-4 text-right font-medium">Failed</th>
              <th className="w-1/3 min-w-56 py-1.5 font-medium">Median to 95th percentile</th>
            </tr>
          </thead>
          <tbody>
            {operations.map((entry) => (
              <tr key={entry.operation} className="border-t border-line">
                <th scope="row" className="py-2 pr-4 text-left font-medium whitespace-nowrap">
                  {entry.operation === "NONE" ? "None" : catalogue.operations[entry.operation].noun}
                </th>
                <td className="py-2 pr-4 text-right tabular-nums">{count(entry.running)}</td>
                <td className="py-2 pr-4 text-right tabular-nums">{count(entry.finished_24h)}</td>
                <td
                  className={`py-2 pr-4 text-right tabular-nums ${entry.failed_24h > 0 ? "font-semibold text-error" : ""}`}
                >
                  {count(entry.failed_24h)}
                </td>
                <td className="py-2">
                  {entry.median_seconds === null || entry.p95_seconds === null ? (
                    <span className="text-ink-3">none finished</span>
                  ) : (
                    <div className="flex items-center gap-3">
                      <div aria-hidden="true" className="relative h-1.5 min-w-16 flex-1 rounded-full bg-line">
                        <div
                          className="absolute inset-y-0 left-0 rounded-full bg-accent/40"
                          style={{ width: `${Math.max(2, (entry.p95_seconds / slowest) * 100)}%` }}
                        />
                        <div
                          className="absolute inset-y-0 left-0 rounded-full bg-accent-fill"
                          style={{ width: `${Math.max(1, (entry.median_seconds / slowest) * 100)}%` }}
                        />
                      </div>
                      <span className="whitespace-nowrap text-ink-2 tabular-nums">
                        {duration(entry.median_seconds)} to {duration(entry.p95_seconds)}
                      </span>
                    </div>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Sideways>
    </Card>
  );
}

/** A leader's name is its machine and the number of its process, which says nothing to a person. */
const hostOf = (holder: string): string => holder.replace(/ \d+$/, "");

const Figures = ({ system }: { system: System }) => (
  <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
    <Figure label="Running" value={`${count(system.running.used)} of ${count(system.running.limit)}`}>
      <div className="my-1.5 h-1.5 overflow-hidden rounded-full bg-line" aria-hidden="true">
        <div
          className="h-full rounded-full bg-running"
          style={{ width: `${Math.min(100, (system.running.used / Math.max(1, system.running.limit)) * 100)}%` }}
        />
      </div>
      slots held; {system.deployment.limits.max_running_per_user} for each user
    </Figure>
    <Figure label="In motion" value={count(system.converging.count)}>
      {system.converging.oldest_seconds === null
        ? "everything is where it was asked to be"
        : `the longest waits for ${span(system.converging.oldest_seconds * 1000)}`}
    </Figure>
    <Figure label="Leader" value={system.leader === null ? "none" : "active"}>
      {system.leader === null ? (
        "nothing is planned until one leads"
      ) : (
        <>
          on <span className="wrap-anywhere">{hostOf(system.leader.holder)}</span>, since{" "}
          <Time at={system.leader.since} />
        </>
      )}
    </Figure>
    <Figure label="People" value={count(system.users)}>
      {counted(system.sse_clients, "open dashboard")} · version {system.deployment.version} on{" "}
      {system.deployment.runtime}
    </Figure>
  </div>
);

export function OverviewTab() {
  const system = useQuery("system", () => api.getSystem(), { repeatMs: 5000 });
  const { data, error, reload } = system;
  const loaded = data !== null;
  // Somebody followed the link of a notice: what it leads to was not there yet.
  useEffect(() => {
    if (loaded) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [loaded]);
  const resume = async () => {
    try {
      await api.resumeGc();
      toast({ tone: "done", text: "Garbage collection goes on." });
      reload();
    } catch (failure) {
      report(failure);
    }
  };
  if (data === null)
    return <NotThere query={system} title="The overview cannot be loaded" loading="Loading the overview" />;
  return (
    <div className="flex flex-col gap-5">
      {error !== null && (
        <Notice tone="error" title="The figures are old" live>
          They were right <Time at={data.now} />. {problemText(error)}
        </Notice>
      )}
      {data.gc.quarantined && <CollectionPaused reason={data.gc.reason} onResume={() => void resume()} />}
      <AttentionCard />
      <Figures system={data} />
      <div className="grid items-start gap-5 lg:grid-cols-3">
        <Card title="Workspaces over time" className="lg:col-span-2">
          <FleetPicture system={data} />
        </Card>
        <Health health={data.health} />
      </div>
      <DoctorCard />
      <Operations operations={data.operations} />
      <CollectionCard gc={data.gc} />
      <p className="text-[13px] text-ink-3">
        Figures are refreshed every few seconds; <code className="font-mono">/metrics</code> has all of them for
        Prometheus.
      </p>
    </div>
  );
}
