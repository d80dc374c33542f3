import { actorText, type HistoryEvent } from "@codehub/contract";
import { useState } from "react";
import { report } from "../actions.ts";
import { api, problemText } from "../api.ts";
import { pathOf } from "../hooks/router.ts";
import { useQuery } from "../hooks/use-query.ts";
import { Empty, Link, Notice, Sideways, Spinner, Time } from "../ui/basics.tsx";
import { eventWords } from "../words/event-words.ts";

export function AuditTab() {
  const [userId, setUserId] = useState("");
  const [kind, setKind] = useState("");
  const users = useQuery("users", () => api.listUsers());
  const filter = {
    ...(userId === "" ? {} : { user_id: userId }),
    ...(/^[a-z_]+$/.test(kind) ? { kind } : {}),
  };
  const key = `audit ${JSON.stringify(filter)}`;
  const first = useQuery(key, () => api.listAudit({ query: { limit: 100, ...filter } }));
  const [older, setOlder] = useState<{ key: string; items: HistoryEvent[]; cursor: string | null } | null>(null);
  const extra = older?.key === key ? older : null;
  const items = [...(first.data?.items ?? []), ...(extra?.items ?? [])];
  const cursor = extra === null ? (first.data?.next_cursor ?? null) : extra.cursor;
  const more = async () => {
    if (cursor === null) return;
    try {
      const page = await api.listAudit({ query: { limit: 100, cursor, ...filter } });
      setOlder({ key, items: [...(extra?.items ?? []), ...page.items], cursor: page.next_cursor });
    } catch (error) {
      report(error);
    }
  };
  return (
    <>
      <div className="mb-4 flex flex-col gap-3 sm:flex-row">
        <select
          aria-label="Who"
          className="field sm:w-52"
          value={userId}
          onChange={(event) => setUserId(event.target.value)}
        >
          <option value="">Everybody</option>
          {(users.data?.items ?? []).map((user) => (
            <option key={user.id} value={user.id}>
              {user.username}
            </option>
          ))}
        </select>
        <input
          aria-label="Kind of event"
          className="field sm:w-60"
          placeholder="Kind, for example login"
          value={kind}
          onChange={(event) => setKind(event.target.value.trim().toLowerCase())}
        />
        <button type="button" className="btn sm:ml-auto" onClick={first.reload}>
          Refresh
        </button>
      </div>
      {first.error !== null && (
        <Notice tone="error" title="The log cannot be loaded" live>
          {problemText(first.error)}
        </Notice>
      )}
      {first.data === null && first.error === null && <Spinner label="Loading the log" />}
      {first.data !== null && (
        <Sideways label="Table of events" className="card">
          {items.length === 0 ? (
            <Empty icon="book" title="Nothing was recorded">
              No event fits this choice.
            </Empty>
          ) : (
            <table className="w-full text-sm">
              <thead className="text-left text-[13px] text-ink-3">
                <tr>
                  <th className="px-4 py-3 font-medium">When</th>
                  <th className="px-4 py-3 font-medium">Who</th>
                  <th className="px-4 py-3 font-medium">What</th>
                  <th className="px-4 py-3 font-medium">Kind</th>
                </tr>
              </thead>
              <tbody>
                {items.map((event) => (
                  <tr key={event.id} className="border-t border-line align-top">
                    <td className="px-4 py-2.5 whitespace-nowrap text-ink-2">
                      <Time at={event.at} />
                    </td>
                    <td className="px-4 py-2.5 whitespace-nowrap">{actorText(event.actor)}</td>
                    <td className="min-w-64 px-4 py-2.5 wrap-anywhere">
                      {eventWords(event)}
                      {event.workspace_id !== null && (
                        <>
                          {" "}
                          <Link to={pathOf.workspace(event.workspace_id)} className="link whitespace-nowrap">
                            workspace
                          </Link>
                        </>
                      )}
                    </td>
                    <td className="px-4 py-2.5 font-mono text-[13px] text-ink-3">{event.kind}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Sideways>
      )}
      {cursor !== null && (
        <button type="button" className="btn btn-small mt-4" onClick={() => void more()}>
          Show older
        </button>
      )}
    </>
  );
}
