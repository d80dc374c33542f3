import type { GarbageCollection } from "@codehub/contract";
import type { ReactNode } from "react";
import { count, dayAndTime, exact, upcoming } from "../format/format.ts";
import { useNow } from "../hooks/clock.ts";
import { Card, Notice, Time } from "../ui/basics.tsx";
import { archives, keptBecause } from "../words/collection-words.ts";

const Fact = ({ label, value, children }: { label: string; value: ReactNode; children?: ReactNode }) => (
  <div>
    <dt className="text-[13px] text-ink-3">{label}</dt>
    <dd className="mt-0.5 text-sm">
      <p className="font-medium tabular-nums">{value}</p>
      {children !== undefined && <p className="text-[13px] text-ink-3">{children}</p>}
    </dd>
  </div>
);

const LastRun = ({ at }: { at: string | null }) =>
  at === null ? (
    <Fact label="Last run" value="not run yet" />
  ) : (
    <Fact label="Last run" value={<Time at={at} />}>
      {dayAndTime(new Date(at).getTime())}
    </Fact>
  );

function NextRun({ gc }: { gc: GarbageCollection }) {
  const now = useNow(1000);
  if (gc.quarantined)
    return (
      <Fact label="Next run" value="paused">
        until an administrator resumes it
      </Fact>
    );
  if (gc.next_run_at === null)
    return (
      <Fact label="Next run" value="no leader">
        nothing is removed until one leads
      </Fact>
    );
  const at = new Date(gc.next_run_at).getTime();
  const when = (
    <time dateTime={gc.next_run_at} title={exact(at)}>
      {upcoming(at, now)}
    </time>
  );
  return (
    <Fact label="Next run" value={when}>
      {dayAndTime(at)}
    </Fact>
  );
}

function Kept({ gc }: { gc: GarbageCollection }) {
  if (gc.last_run_at === null) return <p className="text-ink-2">Known after the first run.</p>;
  if (gc.kept.length === 0)
    return (
      <p className="text-ink-2">
        {gc.listed === 0 ? "There was no archive at the last run." : "Nothing needed an archive at the last run."}
      </p>
    );
  return (
    <ul className="flex flex-col gap-2">
      {gc.kept.map((kept) => (
        <li key={kept.reason} className="text-ink-2">
          <span className="font-medium text-ink tabular-nums">{archives(kept.count)}</span> {keptBecause(kept)}
        </li>
      ))}
    </ul>
  );
}

/** What garbage collection has seen, what it is about to remove, and why the rest stays. */
export const CollectionCard = ({ gc }: { gc: GarbageCollection }) => (
  <Card title="Garbage collection" id="collection">
    <p className="-mt-2 mb-4 max-w-prose text-sm text-ink-2">
      Every run marks the archives that nothing needs any more. They are removed when they have been marked for two
      hours and are still not needed.
    </p>
    <div className="grid gap-6 lg:grid-cols-2">
      <dl className="grid grid-cols-2 content-start gap-x-6 gap-y-4">
        <LastRun at={gc.last_run_at} />
        <NextRun gc={gc} />
        <Fact label="Marked" value={count(gc.ageing)}>
          for less than two hours
        </Fact>
        <Fact label="Due" value={count(gc.aged)}>
          {gc.quarantined || gc.next_run_at === null
            ? "marked for longer, not removed for now"
            : "marked for longer, removed every minute"}
        </Fact>
        <Fact label="Removed" value={count(gc.removed_24h)}>
          in the last 24 hours
        </Fact>
      </dl>
      <div className="text-sm">
        <h3 className="mb-2 text-[13px] text-ink-3">
          {gc.last_run_at === null
            ? "Why archives are kept"
            : `Why archives are kept (${count(gc.listed)} at the last run)`}
        </h3>
        <Kept gc={gc} />
      </div>
    </div>
  </Card>
);

/** A quarantine: what CodeHub found, what a person can do about it, and what that leads to. */
export const CollectionPaused = ({ reason, onResume }: { reason: string | null; onResume: () => void }) => (
  <Notice
    tone="error"
    title="Garbage collection is paused"
    actions={
      <button type="button" className="btn btn-small" onClick={onResume}>
        Resume
      </button>
    }
  >
    <p className="wrap-anywhere">{reason ?? "The database may be older than the archive store."}</p>
    <p className="mt-1.5">
      What to do: look whether every home is there. Workspaces that were created after the backup are not known any
      more; copy their archives from the store (their keys begin with the workspace's id), then resume. From two hours
      after resuming, archives that the database does not know are removed.
    </p>
  </Notice>
);
