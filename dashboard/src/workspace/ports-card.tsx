import { ApiError, doorOf, type PortList, type Workspace, type WorkspacePort } from "@codehub/contract";
import { useEffect, useRef } from "react";
import { report } from "../actions.ts";
import { api } from "../api.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { Card, Time } from "../ui/basics.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { showOverlay } from "../ui/overlay.ts";
import {
  audienceWords,
  boundWords,
  portStates,
  type ShareChoice,
  shareChoices,
  shareWords,
} from "../words/port-words.ts";

const LOOK_MS = 5_000;
/** Where the IDE's pill leads. */
const ANCHOR = "ports";

interface PortsProps {
  readonly workspace: Workspace;
  readonly own: boolean;
  /** Something was shared or closed, and is in the history. */
  readonly onShared: () => void;
}

/** What listens in the workspace, the way there, and who else may go it. An administrator sees what of it is shared. */
export function PortsCard({ workspace, own, onShared }: PortsProps) {
  const { id } = workspace;
  const looked = useQuery(`ports ${id}`, () => api.listPorts({ params: { id } }), {
    refreshOn: workspace.version,
    ...(workspace.phase === "RUNNING" ? { repeatMs: LOOK_MS } : {}),
  });
  const { data, reload } = looked;
  const card = useRef<HTMLDivElement>(null);
  const loaded = data !== null;
  useEffect(() => {
    if (loaded && location.hash === `#${ANCHOR}`) card.current?.scrollIntoView({ block: "center" });
  }, [loaded]);
  const changed = () => {
    reload();
    onShared();
  };
  if (!own && (data === null || data.items.length === 0)) return null;
  return (
    <div id={ANCHOR} ref={card}>
      <Card title="Ports">
        <NotThere small query={looked} title="The ports cannot be loaded" loading="Looking at what listens" />
        {data !== null && <Shown workspace={workspace} own={own} ports={data} onChanged={changed} />}
      </Card>
    </div>
  );
}

interface ShownProps {
  readonly workspace: Workspace;
  readonly own: boolean;
  readonly ports: PortList;
  readonly onChanged: () => void;
}

function Shown({ workspace, own, ports, onChanged }: ShownProps) {
  const why = portStates[ports.state];
  const bound = own && ports.items.length > 0 ? boundWords[ports.sharing] : null;
  return (
    <>
      {why !== null && own && <p className="text-sm text-ink-2">{why}</p>}
      {why === null && ports.items.length === 0 && (
        <p className="text-sm text-ink-2">No program listens. Start one in the workspace, and it is here.</p>
      )}
      {ports.items.length > 0 && (
        <ul className="mt-3 divide-y divide-line first:mt-0">
          {ports.items.map((port) => (
            <li key={port.port} className="py-3 first:pt-0 last:pb-0">
              <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
                <Name port={port} own={own} />
                {own && port.url !== null && (
                  <Ways workspace={workspace} port={port} choices={shareChoices(ports.sharing)} onChanged={onChanged} />
                )}
              </div>
              {port.share !== null && (
                <Shared workspace={workspace} port={port} share={port.share} onChanged={onChanged} />
              )}
            </li>
          ))}
        </ul>
      )}
      {bound !== null && <p className="hint mt-3">{bound}</p>}
    </>
  );
}

const Name = ({ port: { port, program, label, listening }, own }: { port: WorkspacePort; own: boolean }) => (
  <span className="min-w-0 flex-1 basis-40">
    <span className="font-semibold tabular-nums">{port}</span>
    {label !== null && <bdi className="ml-2 wrap-anywhere">{label}</bdi>}
    {own && (
      <span className="block truncate text-[13px] text-ink-2">
        {listening ? (program ?? "A program listens") : "Nothing listens"}
      </span>
    )}
  </span>
);

interface WaysProps {
  readonly workspace: Workspace;
  readonly port: WorkspacePort;
  readonly choices: readonly ShareChoice[];
  readonly onChanged: () => void;
}

function Ways({ workspace: { id }, port: { port, url }, choices, onChanged }: WaysProps) {
  const ask = (choice: ShareChoice) => {
    const { audience, for_seconds } = choice;
    const run = async () => {
      await api.sharePort({ params: { id, port: String(port) }, body: { audience, for_seconds } });
      onChanged();
    };
    showOverlay({ kind: "confirm", question: { ...shareWords(port, choice), run } });
  };
  return (
    <span className="flex flex-wrap gap-2">
      <a
        href={`${doorOf(id)}?port=${port}`}
        target="_blank"
        rel="noopener"
        className="btn btn-small"
        aria-label={`Open port ${port} (in a new tab)`}
      >
        <Icon name="open" /> Open
      </a>
      {url !== null && <CopyButton text={url} label={`Copy the link to port ${port}`} />}
      {choices.length > 0 && (
        <Menu
          label={`Share port ${port}`}
          className="btn btn-small"
          items={choices.map((choice) => ({
            label: choice.label,
            icon: choice.audience === "public" ? "warning" : "user",
            run: () => ask(choice),
          }))}
        >
          Share
        </Menu>
      )}
    </span>
  );
}

interface SharedProps {
  readonly workspace: Workspace;
  readonly port: WorkspacePort;
  readonly share: NonNullable<WorkspacePort["share"]>;
  readonly onChanged: () => void;
}

function Shared({ workspace: { id }, port: { port }, share: { audience, expires_at: until }, onChanged }: SharedProps) {
  const close = async () => {
    try {
      await api.unsharePort({ params: { id, port: String(port) } });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      report(error);
    }
    onChanged();
  };
  return (
    <p className="mt-2 flex flex-wrap items-center justify-between gap-x-3 gap-y-2 rounded-lg bg-sunken px-3 py-2 text-sm">
      <span className="min-w-0">
        {audienceWords[audience]},{" "}
        {until === null ? (
          "until it is closed"
        ) : (
          <>
            ends <Time at={until} ahead />
          </>
        )}
      </span>
      <button
        type="button"
        className="btn btn-small"
        aria-label={`Close port ${port} to others`}
        onClick={() => void close()}
      >
        Close
      </button>
    </p>
  );
}
