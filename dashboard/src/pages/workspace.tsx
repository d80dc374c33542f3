import { catalogue, errorText, type Workspace } from "@codehub/contract";
import { useEffect, useState } from "react";
import { request, restart, undelete } from "../actions.ts";
import { api } from "../api.ts";
import { pathOf } from "../hooks/router.ts";
import { useQuery } from "../hooks/use-query.ts";
import { combined, isBehind } from "../live/combined.ts";
import { takeAnswer, useLive } from "../live/store.ts";
import { NotThere } from "../not-there.tsx";
import { useSession } from "../session.tsx";
import { Link, LongText, Notice, Page, Time } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { showOverlay } from "../ui/overlay.ts";
import { triedWords } from "../words/error-words.ts";
import { localVoice } from "../words/voice.ts";
import { AddressCard } from "../workspace/address-card.tsx";
import { ConditionsCard } from "../workspace/conditions-card.tsx";
import { FullDisk } from "../workspace/full-disk.tsx";
import { HistoryCard } from "../workspace/history-card.tsx";
import { HomeSizeCard } from "../workspace/home-size-card.tsx";
import { LacksCard } from "../workspace/lacks-card.tsx";
import { LifecycleCard } from "../workspace/lifecycle-card.tsx";
import { MemoCard } from "../workspace/memo-card.tsx";
import { OpenLink } from "../workspace/open-link.tsx";
import { PortsCard } from "../workspace/ports-card.tsx";
import { ProjectCard } from "../workspace/project-card.tsx";
import { RepositoryCard } from "../workspace/repository-card.tsx";
import { RunningCount } from "../workspace/running-count.tsx";
import { SafetyCard } from "../workspace/safety-card.tsx";
import { DangerCard, SettingsCard } from "../workspace/settings-card.tsx";
import { SilentNode } from "../workspace/silent-node.tsx";
import { SpaceCard } from "../workspace/space-card.tsx";
import { Status } from "../workspace/status.tsx";
import { UsageCard } from "../workspace/usage-card.tsx";
import { VariablesCard } from "../workspace/variables-card.tsx";
import { Missing } from "./missing.tsx";

const retryMs = 2000;
const othersMs = 4000;

/**
 * The row is live, and all of the workspace is asked for whenever the row is newer than what is known: also when it became
 * so while an answer was on its way. Somebody else's, which administrators may look at, is asked for every few seconds.
 */
function useWorkspace(id: string) {
  const row = useLive((state) => state.workspaces.get(id));
  const whole = useLive((state) => state.whole.get(id));
  const others = useLive((state) => state.loaded) && row === undefined;
  const behind = isBehind(whole, row);
  const { error, loading, reload } = useQuery(
    `workspace ${id}`,
    async () => {
      // An answer to what was done on this page may have told it already.
      const { workspaces, whole: known } = useLive.getState();
      if (!others && !isBehind(known.get(id), workspaces.get(id))) return;
      await takeAnswer(api.getWorkspace({ params: { id } }));
    },
    { refreshOn: `${row?.version} ${whole === undefined} ${others}`, ...(others ? { repeatMs: othersMs } : {}) },
  );
  useEffect(() => {
    if (!behind || error === null || error.status === 404) return undefined;
    const timer = setTimeout(reload, retryMs);
    return () => clearTimeout(timer);
  }, [behind, error, reload]);
  const gone = row === undefined && error?.status === 404;
  return {
    workspace: whole === undefined || gone ? null : combined(whole, row),
    error,
    loading,
    reload,
    name: row?.name,
  };
}

function Actions({ workspace, own }: { workspace: Workspace; own: boolean }) {
  const { id } = workspace;
  if (workspace.deleted_at !== null)
    return own && workspace.undelete_until !== null ? (
      <button type="button" className="btn btn-primary" onClick={() => void undelete(id)}>
        <Icon name="undo" /> Restore from the trash
      </button>
    ) : null;
  const up = workspace.desired_state === "RUNNING";
  return (
    <>
      {workspace.desired_state !== "ARCHIVED" && (
        <button type="button" className="btn" onClick={() => void request(id, "ARCHIVED")}>
          <Icon name="archive" /> Archive
        </button>
      )}
      {up ? (
        <button type="button" className="btn" onClick={() => void request(id, "STANDBY")}>
          <Icon name="pause" /> Stop
        </button>
      ) : (
        own && (
          <>
            <RunningCount />
            <button type="button" className="btn" onClick={() => void request(id, "RUNNING")}>
              <Icon name="play" /> Start
            </button>
          </>
        )
      )}
      {own && <OpenLink workspace={workspace} className="btn btn-primary" />}
    </>
  );
}

interface ProblemsProps {
  readonly workspace: Workspace;
  readonly own: boolean;
  readonly admin: boolean;
  /** Somebody wants to know where the room in the home went. */
  readonly onFind: () => void;
}

const Problems = ({ workspace, own, admin, onFind }: ProblemsProps) => (
  <div className="mb-6 flex flex-col gap-3 empty:hidden">
    <SilentNode workspace={workspace} admin={admin} />
    <FullDisk workspace={workspace} own={own} onFind={onFind} />
    {workspace.phase === "ERROR" && workspace.error !== null && (
      <Notice
        tone="error"
        title={catalogue.errors[workspace.error.reason].title}
        live
        actions={
          <>
            {own && (
              <button type="button" className="btn btn-small" onClick={() => showOverlay({ kind: "logs", workspace })}>
                Last output
              </button>
            )}
            <button
              type="button"
              className="btn btn-primary btn-small"
              onClick={() => showOverlay({ kind: "recover", workspace })}
            >
              Recover
            </button>
          </>
        }
      >
        <LongText text={errorText(workspace.error, localVoice)} />
        <p className="mt-1">{catalogue.errors[workspace.error.reason].remedy}</p>
        <p className="mt-1 text-[13px] text-ink-3">
          {triedWords(workspace.error)}
          {workspace.error.occurred_at !== null && (
            <>
              , <Time at={workspace.error.occurred_at} />
            </>
          )}
        </p>
      </Notice>
    )}
    {workspace.deleted_at !== null && (
      <Notice tone="warning" title="This workspace is in the trash">
        {workspace.undelete_until === null ? (
          "It cannot be restored."
        ) : (
          <>
            It can be restored: gone for good <Time at={workspace.undelete_until} ahead />.
          </>
        )}
      </Notice>
    )}
    {workspace.restart_required && own && (
      <Notice
        tone="info"
        title="The image was changed"
        actions={
          <button type="button" className="btn btn-small" onClick={() => void restart(workspace.id)}>
            Restart now
          </button>
        }
      >
        The next start takes it.
      </Notice>
    )}
  </div>
);

export function WorkspacePage({ id }: { id: string }) {
  const { session } = useSession();
  const { workspace, error, loading, reload, name = "Workspace" } = useWorkspace(id);
  const [noted, setNoted] = useState(0);
  const [finds, setFinds] = useState(0);
  useEffect(() => {
    document.title = `${workspace?.name ?? "Workspace"} · CodeHub`;
  }, [workspace?.name]);

  if (workspace === null) {
    if (!loading && (error === null || error.status === 404)) return <Missing />;
    return (
      <Page title={name}>
        <NotThere
          query={{ data: null, error, reload }}
          title="The workspace cannot be loaded"
          loading="Loading the workspace"
        />
      </Page>
    );
  }
  const own = workspace.owner.id === session.user.id;
  return (
    <>
      <Link
        to={own ? pathOf.workspaces : pathOf.admin("workspaces")}
        className="mb-2 inline-block rounded-sm text-[13px] text-ink-3 hover:text-ink"
      >
        {own ? "Workspaces" : "All workspaces"} /
      </Link>
      <Page
        title={workspace.name}
        intro={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <Status workspace={workspace} />
            {workspace.description !== null && <bdi>{workspace.description}</bdi>}
            {!own && <span>owned by {workspace.owner.username}</span>}
          </span>
        }
        actions={<Actions workspace={workspace} own={own} />}
      >
        <Problems
          workspace={workspace}
          own={own}
          admin={session.user.role === "admin"}
          onFind={() => setFinds((times) => times + 1)}
        />
        {/* Two columns; on a narrow screen one, with the home's safety before the long lists. */}
        <div className="flex flex-col gap-5 lg:grid lg:grid-cols-3 lg:items-start">
          <div className="contents min-w-0 flex-col gap-5 lg:col-span-2 lg:flex">
            <LifecycleCard workspace={workspace} />
            {workspace.deleted_at === null && <RepositoryCard key={workspace.id} workspace={workspace} own={own} />}
            {own && workspace.deleted_at === null && workspace.setup?.state === "ready" && (
              <ProjectCard key={`project ${workspace.id}`} workspace={workspace} />
            )}
            {workspace.deleted_at === null && (
              <PortsCard
                key={`ports ${workspace.id}`}
                workspace={workspace}
                own={own}
                onShared={() => setNoted((times) => times + 1)}
              />
            )}
            <div className="order-2 flex min-w-0 flex-col gap-5">
              {workspace.deleted_at === null && <UsageCard key={`usage ${workspace.id}`} workspace={workspace} />}
              {own && workspace.deleted_at === null && (
                <SpaceCard
                  key={`space ${workspace.id}`}
                  workspace={workspace}
                  asked={finds}
                  onEmptied={() => setNoted((times) => times + 1)}
                />
              )}
              <HistoryCard workspace={workspace} noted={noted} />
            </div>
            {own && workspace.deleted_at === null && (
              <div className="order-4 min-w-0">
                <SettingsCard key={workspace.id} workspace={workspace} />
                <div className="mt-5">
                  <VariablesCard key={workspace.id} workspace={workspace} />
                </div>
              </div>
            )}
          </div>
          <div className="contents min-w-0 flex-col gap-5 lg:flex">
            <div className="order-1 min-w-0">
              <SafetyCard workspace={workspace} own={own} />
            </div>
            <div className="order-3 flex min-w-0 flex-col gap-5">
              {own && <AddressCard workspace={workspace} />}
              <ConditionsCard workspace={workspace} />
              <LacksCard />
              {workspace.deleted_at === null && <HomeSizeCard key={workspace.id} workspace={workspace} />}
              {workspace.memo !== null && workspace.memo.trim() !== "" && <MemoCard memo={workspace.memo} />}
            </div>
            {own && (
              <div className="order-5 min-w-0">
                <DangerCard workspace={workspace} />
              </div>
            )}
          </div>
        </div>
      </Page>
    </>
  );
}
