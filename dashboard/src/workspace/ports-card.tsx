import { doorOf, type PortList, type Workspace, type WorkspacePort } from "@codehub/contract";
import { useEffect, useRef } from "react";
import { api, problemText } from "../api.ts";
import { useQuery } from "../hooks/use-query.ts";
import { Card } from "../ui/basics.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icons.tsx";

const LOOK_MS = 5_000;
/** Where the IDE's pill leads. */
const ANCHOR = "ports";

/** What listens in the workspace, and the way there. */
export function PortsCard({ workspace }: { workspace: Workspace }) {
  const { id } = workspace;
  const { data, error } = useQuery(`ports ${id}`, () => api.listPorts({ params: { id } }), {
    refreshOn: workspace.version,
    ...(workspace.phase === "RUNNING" ? { repeatMs: LOOK_MS } : {}),
  });
  const card = useRef<HTMLDivElement>(null);
  const loaded = data !== null;
  useEffect(() => {
    if (loaded && location.hash === `#${ANCHOR}`) card.current?.scrollIntoView({ block: "center" });
  }, [loaded]);
  return (
    <div id={ANCHOR} ref={card}>
      <Card title="Ports">
        {error !== null && <p className="mb-3 text-sm text-error">{problemText(error)}</p>}
        {data !== null && <Shown workspace={workspace} ports={data} />}
      </Card>
    </div>
  );
}

const STATES: Readonly<Record<PortList["state"], string | null>> = {
  listed: null,
  not_running: "What listens is seen while the workspace runs.",
  unknown: "What listens cannot be seen right now. Links to ports may work all the same.",
};

function Shown({ workspace, ports }: { workspace: Workspace; ports: PortList }) {
  const why = STATES[ports.state];
  return (
    <>
      {why !== null && <p className="text-sm text-ink-2">{why}</p>}
      {why === null && ports.items.length === 0 && (
        <p className="text-sm text-ink-2">No program listens. Start one in the workspace, and it is here.</p>
      )}
      {ports.items.length > 0 && (
        <ul className="mt-3 divide-y divide-line first:mt-0">
          {ports.items.map((port) => (
            <Port key={port.port} workspace={workspace} port={port} />
          ))}
        </ul>
      )}
    </>
  );
}

const Port = ({
  workspace,
  port: { port, program, label, listening, url },
}: {
  workspace: Workspace;
  port: WorkspacePort;
}) => (
  <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3 first:pt-0 last:pb-0">
    <span className="min-w-0 flex-1 basis-40">
      <span className="font-semibold tabular-nums">{port}</span>
      {label !== null && <bdi className="ml-2 wrap-anywhere">{label}</bdi>}
      <span className="block truncate text-[13px] text-ink-2">
        {listening ? (program ?? "A program listens") : "Nothing listens"}
      </span>
    </span>
    {url !== null && (
      <span className="flex flex-wrap gap-2">
        <a
          href={`${doorOf(workspace.id)}?port=${port}`}
          target="_blank"
          rel="noopener"
          className="btn btn-small"
          aria-label={`Open port ${port} (in a new tab)`}
        >
          <Icon name="open" /> Open
        </a>
        <CopyButton text={url} label={`Copy the link to port ${port}`} />
      </span>
    )}
  </li>
);
