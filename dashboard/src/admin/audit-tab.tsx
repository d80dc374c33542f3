import { AUDIT_FILE_LINES, type AuditEvent, type AuditFacets, actorText } from "@codehub/contract";
import type { ReactNode } from "react";
import { api } from "../api.ts";
import { type AuditChoice, auditChoiceOf, auditFilterOf, auditSearch } from "../format/audit-choice.ts";
import { count, exact } from "../format/format.ts";
import { navigate, pathOf, useSearch } from "../hooks/router.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { Empty, Link, Sideways, Time } from "../ui/basics.tsx";
import { Pager } from "../ui/pager.tsx";
import { eventWords } from "../words/event-words.ts";

const ON_A_PAGE = 50;
const none: AuditFacets = { kinds: [], actors: [], workspaces: [] };

interface Option {
  readonly value: string;
  readonly text: string;
}

/** What is chosen is there also where nothing of it is left. */
function Choose({
  label,
  everything,
  value,
  options,
  onChoose,
}: {
  label: string;
  everything: string;
  value: string;
  options: readonly Option[];
  onChoose: (value: string) => void;
}) {
  const known = value === "" || options.some((option) => option.value === value);
  return (
    <select
      aria-label={label}
      className="field min-w-0 sm:w-48"
      value={value}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">{everything}</option>
      {!known && <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.text}
        </option>
      ))}
    </select>
  );
}

const Day = ({ label, value, onChoose }: { label: string; value: string; onChoose: (day: string) => void }) => (
  <label className="flex min-w-0 items-center gap-2 text-[13px] text-ink-3">
    {label}
    <input
      type="date"
      className="field min-w-0 sm:w-40"
      value={value}
      onChange={(event) => onChoose(event.target.value)}
    />
  </label>
);

function Choices({
  choice,
  facets,
  onChange,
}: {
  choice: AuditChoice;
  facets: AuditFacets;
  onChange: (change: Partial<AuditChoice>) => void;
}) {
  const people = facets.actors.map(({ actor, count: times }) => ({
    value: actor.user_id ?? actor.kind,
    text: `${actorText(actor)} (${count(times)})`,
  }));
  const kinds = facets.kinds.map(({ kind, count: times }) => ({ value: kind, text: `${kind} (${count(times)})` }));
  const workspaces = facets.workspaces.map(({ id, name, count: times }) => ({
    value: id,
    text: `${name ?? id} (${count(times)})`,
  }));
  return (
    <div className="mb-4 flex flex-col gap-3 sm:flex-row sm:flex-wrap sm:items-center">
      <Choose
        {...{ label: "Who", everything: "Everybody", value: choice.who, options: people }}
        onChoose={(who) => onChange({ who })}
      />
      <Choose
        {...{ label: "Kind of event", everything: "Every kind", value: choice.kind, options: kinds }}
        onChoose={(kind) => onChange({ kind })}
      />
      <Choose
        {...{ label: "Workspace", everything: "Every workspace", value: choice.workspace, options: workspaces }}
        onChoose={(workspace) => onChange({ workspace })}
      />
      <Day label="From" value={choice.from} onChoose={(from) => onChange({ from })} />
      <Day label="to" value={choice.to} onChoose={(to) => onChange({ to })} />
    </div>
  );
}

const Cell = ({ children, className = "" }: { children: ReactNode; className?: string }) => (
  <td className={`px-4 py-2.5 ${className}`}>{children}</td>
);

const Line = ({ event }: { event: AuditEvent }) => (
  <tr className="border-t border-line align-top">
    <Cell className="whitespace-nowrap text-ink-2">
      <Time at={event.at} />
      <span className="block text-[13px] text-ink-3 tabular-nums">{exact(new Date(event.at).getTime())}</span>
    </Cell>
    <Cell className="whitespace-nowrap">
      {actorText(event.actor)}
      {event.address !== null && <span className="block text-[13px] text-ink-3">{event.address}</span>}
    </Cell>
    <Cell className="min-w-64 wrap-anywhere">
      {eventWords(event)}
      {event.workspace_id !== null && (
        <Link to={pathOf.workspace(event.workspace_id)} className="link block text-[13px]">
          {event.workspace_name ?? "workspace"}
        </Link>
      )}
    </Cell>
    <Cell className="font-mono text-[13px] text-ink-3">{event.kind}</Cell>
  </tr>
);

function Lines({ items }: { items: readonly AuditEvent[] }) {
  if (items.length === 0)
    return (
      <Empty icon="book" title="Nothing was recorded">
        No event fits this choice.
      </Empty>
    );
  return (
    <table className="w-full text-sm">
      <thead className="text-left text-[13px] text-ink-3">
        <tr>
          {["When", "Who and from where", "What", "Kind"].map((title) => (
            <th key={title} className="px-4 py-3 font-medium">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((event) => (
          <Line key={event.id} event={event} />
        ))}
      </tbody>
    </table>
  );
}

/** Who did what, when and from where. What is chosen stands in the address, so that it can be sent to somebody. */
export function AuditTab() {
  const choice = auditChoiceOf(useSearch());
  const filter = auditFilterOf(choice);
  const key = JSON.stringify(filter);
  const list = useQuery(`audit ${choice.page} ${key}`, () =>
    api.listAudit({ query: { limit: ON_A_PAGE, page: choice.page, ...filter } }),
  );
  // Where the server was away, what can be chosen from comes back with the list.
  const facets = useQuery("audit facets", () => api.getAuditFacets({ query: filter }), {
    refreshOn: `${key} ${list.error === null}`,
  });
  const change = (changed: Partial<AuditChoice>) =>
    navigate(pathOf.admin("audit") + auditSearch({ ...choice, page: 1, ...changed }));
  const total = list.data?.total ?? 0;
  return (
    <>
      <Choices choice={choice} facets={facets.data ?? none} onChange={change} />
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p role="status" className="mr-auto text-[13px] text-ink-3 tabular-nums">
          {list.data !== null && `${count(total)} found`}
        </p>
        <button type="button" className="btn btn-small" onClick={list.reload}>
          Refresh
        </button>
        <a className="btn btn-small" href={api.url("downloadAudit", { query: filter })}>
          {total > AUDIT_FILE_LINES ? `Download the newest ${count(AUDIT_FILE_LINES)} as CSV` : "Download as CSV"}
        </a>
      </div>
      <NotThere query={list} title="The log cannot be loaded" loading="Loading the log" />
      {list.data !== null && (
        <>
          <Sideways label="Table of events" className="card">
            <Lines items={list.data.items} />
          </Sideways>
          <Pager page={choice.page} last={Math.ceil(total / ON_A_PAGE)} onPage={(page) => change({ page })} />
        </>
      )}
    </>
  );
}
