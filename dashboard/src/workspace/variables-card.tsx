import type { Workspace } from "@codehub/contract";
import { useState } from "react";
import { report, restart } from "../actions.ts";
import { api } from "../api.ts";
import { pathOf } from "../hooks/router.ts";
import { useQuery } from "../hooks/use-query.ts";
import { takeAnswer } from "../live/store.ts";
import { NotThere } from "../not-there.tsx";
import { Card, Link, Notice } from "../ui/basics.tsx";
import { Variables } from "./variables.tsx";

/** Variables and secrets of one workspace, which win over its owner's. */
export function VariablesCard({ workspace }: { workspace: Workspace }) {
  const { id } = workspace;
  const variables = useQuery(`variables ${id}`, () => api.listWorkspaceVariables({ params: { id } }));
  const [changed, setChanged] = useState(false);
  const after = async (call: Promise<unknown>) => {
    await call;
    setChanged(true);
    variables.reload();
  };
  const allow = async () => {
    try {
      await after(takeAnswer(api.updateWorkspace({ params: { id }, body: { keys_allowed: true } })));
    } catch (error) {
      report(error);
    }
  };
  return (
    <Card title="Variables and secrets">
      <p className="mb-4 text-sm text-ink-2">
        Of this workspace only; they win over{" "}
        <Link to={pathOf.keys} className="link">
          your own
        </Link>{" "}
        of the same name.
      </p>
      {!workspace.keys_allowed && (
        <div className="mb-4">
          <Notice
            tone="info"
            title="Your keys and secrets are left out"
            actions={
              <button type="button" className="btn btn-small" onClick={() => void allow()}>
                Let them in
              </button>
            }
          >
            Whatever is in the home could read them.
          </Notice>
        </div>
      )}
      {changed && workspace.phase === "RUNNING" && (
        <div className="mb-4">
          <Notice
            tone="info"
            title="Restart to apply"
            live
            actions={
              <button
                type="button"
                className="btn btn-small"
                onClick={() => {
                  setChanged(false);
                  void restart(id);
                }}
              >
                Restart
              </button>
            }
          >
            It runs with what was there when it started.
          </Notice>
        </div>
      )}
      <NotThere small query={variables} title="They cannot be loaded" loading="Loading variables" />
      {variables.data !== null && (
        <Variables
          items={variables.data.items}
          bindable={false}
          onPut={({ repositories: _, ...body }) => after(api.putWorkspaceVariable({ params: { id }, body }))}
          onDelete={(variable_id) => after(api.deleteWorkspaceVariable({ params: { id, variable_id } }))}
        />
      )}
    </Card>
  );
}
