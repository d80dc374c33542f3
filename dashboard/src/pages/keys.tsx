import { useEffect } from "react";
import { api } from "../api.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { Card, Page } from "../ui/basics.tsx";
import { Variables } from "../workspace/variables.tsx";
import { CredentialsCard, GitCard, SshKeyCard } from "./key-cards.tsx";

/** What the signed-in person keeps for workspaces. */
export function Keys() {
  useEffect(() => {
    document.title = "Keys and variables · CodeHub";
  }, []);
  const keys = useQuery("keys", () => api.getKeys());
  const { data, reload } = keys;
  const after = async (call: Promise<unknown>) => {
    await call;
    reload();
  };
  return (
    <Page
      title="Keys and variables"
      intro="Given to your workspaces when they start, and to nobody else. What you save is never shown again: not to you, and not to an administrator, who sees names only. A workspace that runs has to be restarted to get a change."
    >
      <NotThere query={keys} title="What you keep cannot be loaded" loading="Loading your keys" />
      {data !== null && (
        <div className="grid items-start gap-5 lg:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-5">
            <SshKeyCard sshKey={data.ssh_key} onChanged={reload} />
            <CredentialsCard items={data.credentials} onChanged={reload} />
          </div>
          <div className="flex min-w-0 flex-col gap-5">
            <Card title="Variables and secrets">
              <Variables
                items={data.variables}
                bindable
                onPut={(body) => after(api.putVariable({ body }))}
                onDelete={(id) => after(api.deleteVariable({ params: { id } }))}
              />
            </Card>
            <GitCard settings={data.settings} onChanged={reload} />
          </div>
        </div>
      )}
    </Page>
  );
}
