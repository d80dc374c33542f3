import { type Listed, listed, type Phase, phases } from "@codehub/contract";
import { useDeferredValue, useState } from "react";
import { report } from "../actions.ts";
import { api, problemText } from "../api.ts";
import { pathOf } from "../hooks/router.ts";
import { useQuery } from "../hooks/use-query.ts";
import { useSession } from "../session.tsx";
import { Empty, Link, Notice, Sideways, Spinner, Time } from "../ui/basics.tsx";
import { phaseLook } from "../words/words.ts";
import { NowAndNext, Status } from "../workspace/status.tsx";

function Row({ workspace, onChanged }: { workspace: Listed; onChanged: () => void }) {
  const { session } = useSession();
  const owner = workspace.owner?.username ?? session.user.username;
  const stop = async () => {
    try {
      await api.updateWorkspace({ params: { id: workspace.id }, body: { desired_state: "STANDBY" } });
    } catch (error) {
      report(error);
    }
    onChanged();
  };
  return (
    <tr className="border-t border-line">
      <th scope="row" className="max-w-64 px-4 py-3 text-left font-normal">
        <Link to={pathOf.workspace(workspace.id)} className="block truncate font-semibold hover:underline">
          {workspace.name}
        </Link>
        <span className="text-[13px] text-ink-3">{owner}</span>
      </th>
      <td className="px-4 py-3">
        <Status workspace={workspace} />
      </td>
      <td className="max-w-80 px-4 py-3">
        <NowAndNext workspace={workspace} />
      </td>
      <td className="px-4 py-3 text-sm whitespace-nowrap text-ink-2">
        {workspace.last_access_at === null ? "never" : <Time at={workspace.last_access_at} />}
      </td>
      <td className="px-4 py-3 text-right">
        {workspace.desired_state === "RUNNING" && workspace.deleted_at === null && (
          <button
            type="button"
            className="btn btn-small"
            aria-label={`Stop ${workspace.name} of ${owner}`}
            onClick={() => void stop()}
          >
            Stop
          </button>
        )}
      </td>
    </tr>
  );
}

/** Everybody's workspaces, asked for page by page: an administrator looks for one, nobody reads all. */
export function FleetTab() {
  const [search, setSearch] = useState("");
  const [phase, setPhase] = useState<Phase | "">("");
  const [pages, setPages] = useState<readonly (string | undefined)[]>([undefined]);
  const q = useDeferredValue(search.trim());
  const cursor = pages.at(-1);
  const list = useQuery(
    `fleet ${q} ${phase} ${cursor ?? ""}`,
    () =>
      api.listWorkspaces({
        query: {
          owner: "all",
          limit: 50,
          sort: "last_access_at",
          order: "desc",
          ...(q === "" ? {} : { q }),
          ...(phase === "" ? {} : { phase }),
          ...(cursor === undefined ? {} : { cursor }),
        },
      }),
    { repeatMs: 5000 },
  );
  const next = list.data?.next_cursor ?? null;
  return (
    <>
      <div className="mb-4 flex flex-col gap-3 sm:flex-row">
        <input
          type="search"
          aria-label="Search all workspaces"
          placeholder="Search name, description or memo"
          className="field sm:w-80"
          value={search}
          onChange={(event) => {
            setSearch(event.target.value);
            setPages([undefined]);
          }}
        />
        <select
          aria-label="Phase"
          className="field sm:w-44"
          value={phase}
          onChange={(event) => {
            setPhase(phases.find((name) => name === event.target.value) ?? "");
            setPages([undefined]);
          }}
        >
          <option value="">Every phase</option>
          {phases.map((name) => (
            <option key={name} value={name}>
              {phaseLook[name].word}
            </option>
          ))}
        </select>
        {list.data !== null && (
          <p role="status" className="self-center text-[13px] text-ink-3 tabular-nums sm:ml-auto">
            {list.data.total} found
          </p>
        )}
      </div>
      {list.error !== null && (
        <Notice tone="error" title="The list cannot be loaded" live>
          {problemText(list.error)}
        </Notice>
      )}
      {list.data === null && list.error === null && <Spinner label="Loading" />}
      {list.data !== null && (
        <Sideways label="Table of workspaces" className="card">
          {list.data.items.length === 0 ? (
            <Empty icon="search" title="Nothing found">
              No workspace of any user fits.
            </Empty>
          ) : (
            <table className="w-full text-sm">
              <thead className="text-left text-[13px] text-ink-3">
                <tr>
                  <th className="px-4 py-3 font-medium">Workspace</th>
                  <th className="px-4 py-3 font-medium">Status</th>
                  <th className="px-4 py-3 font-medium">Now and next</th>
                  <th className="px-4 py-3 font-medium">Last activity</th>
                  <th className="px-4 py-3">
                    <span className="sr-only">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {list.data.items.map((workspace) => (
                  <Row key={workspace.id} workspace={listed(workspace)} onChanged={list.reload} />
                ))}
              </tbody>
            </table>
          )}
        </Sideways>
      )}
      {(pages.length > 1 || next !== null) && (
        <div className="mt-4 flex justify-end gap-2">
          <button
            type="button"
            className="btn btn-small"
            disabled={pages.length === 1}
            onClick={() => setPages(pages.slice(0, -1))}
          >
            Previous
          </button>
          <button
            type="button"
            className="btn btn-small"
            disabled={next === null}
            onClick={() => next !== null && setPages([...pages, next])}
          >
            Next
          </button>
        </div>
      )}
    </>
  );
}
