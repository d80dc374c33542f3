// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out as a grid, which takes a real table's meaning away.
// biome-ignore-all lint/a11y/useFocusableInteractive: the links and buttons inside the cells take the focus.
import type { Listed } from "@codehub/contract";
import { memo } from "react";
import { request, restart } from "../actions.ts";
import { bytes } from "../format/format.ts";
import { pathOf } from "../hooks/router.ts";
import { Link, Time } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { showOverlay } from "../ui/overlay.ts";
import { OpenLink } from "./open-link.tsx";
import { safetyLook } from "./safety-words.ts";
import { NowAndNext, Status } from "./status.tsx";

const menuFor = (workspace: Listed): MenuItem[] => [
  ...(workspace.desired_state === "RUNNING"
    ? [{ label: "Put on standby", icon: "pause" as const, run: () => void request(workspace.id, "STANDBY") }]
    : [{ label: "Start", icon: "play" as const, run: () => void request(workspace.id, "RUNNING") }]),
  ...(workspace.phase === "RUNNING" && workspace.operation === "NONE"
    ? [{ label: "Restart", icon: "refresh" as const, run: () => void restart(workspace.id) }]
    : []),
  ...(workspace.desired_state === "ARCHIVED"
    ? []
    : [{ label: "Archive", icon: "archive" as const, run: () => void request(workspace.id, "ARCHIVED") }]),
  {
    label: "Delete",
    icon: "trash",
    danger: true,
    run: () => showOverlay({ kind: "delete", workspaces: [workspace] }),
  },
];

function Home({ workspace }: { workspace: Listed }) {
  const proof = workspace.safety.last_verified_archive;
  const look = safetyLook[workspace.safety.level];
  return (
    <>
      <span className="flex items-center gap-1.5 text-sm">
        <Icon name={look.icon} className={`size-4 ${look.text}`} />
        {workspace.home_bytes === null ? look.word : bytes(workspace.home_bytes)}
      </span>
      <span className="block truncate text-[13px] text-ink-3">
        {proof === null ? (
          "no archive yet"
        ) : (
          <>
            safe as of <Time at={proof.verified_at} />
          </>
        )}
      </span>
    </>
  );
}

export const TableRow = memo(
  ({
    workspace,
    index,
    height,
    selected,
    onToggle,
  }: {
    workspace: Listed;
    index: number;
    height: number;
    selected: boolean;
    onToggle: (id: string) => void;
  }) => {
    const up = workspace.desired_state === "RUNNING";
    return (
      <div
        role="row"
        aria-rowindex={index + 2}
        aria-selected={selected}
        data-row={index}
        data-workspace={workspace.id}
        className={`table-grid absolute inset-x-0 border-b border-line px-4 focus-within:bg-sunken/50 hover:bg-sunken/50 ${selected ? "bg-accent-soft/60" : ""}`}
        style={{ top: `${index * height}px`, height: `${height}px` }}
      >
        <span role="cell" className="area-check">
          <input
            type="checkbox"
            aria-label={`Select ${workspace.name}`}
            className="size-4 accent-accent-fill"
            checked={selected}
            onChange={() => onToggle(workspace.id)}
          />
        </span>
        <span role="cell" className="area-name min-w-0">
          <Link
            to={pathOf.workspace(workspace.id)}
            className="block truncate rounded-sm font-semibold hover:underline"
            nameLink
          >
            {workspace.name}
          </Link>
          <span className="block truncate text-[13px] text-ink-3">{workspace.description ?? workspace.image_ref}</span>
        </span>
        <span role="cell" className="area-status min-w-0">
          <Status workspace={workspace} />
        </span>
        <span role="cell" className="area-now min-w-0">
          <NowAndNext workspace={workspace} />
        </span>
        <span role="cell" className="area-activity min-w-0 truncate text-sm text-ink-2">
          <span className="text-ink-3 lg:hidden">Active </span>
          {workspace.last_access_at === null ? "never" : <Time at={workspace.last_access_at} />}
        </span>
        <span role="cell" className="area-home min-w-0">
          <Home workspace={workspace} />
        </span>
        <span role="cell" className="area-actions flex items-center justify-end gap-1">
          {workspace.phase === "ERROR" ? (
            <button
              type="button"
              className="btn btn-small"
              aria-label={`Recover ${workspace.name}`}
              onClick={() => showOverlay({ kind: "recover", workspace })}
            >
              <Icon name="refresh" /> Recover
            </button>
          ) : (
            <>
              <button
                type="button"
                className="btn btn-quiet btn-icon"
                aria-label={`${up ? "Stop" : "Start"} ${workspace.name}`}
                title={up ? "Put on standby" : "Start"}
                onClick={() => void request(workspace.id, up ? "STANDBY" : "RUNNING")}
              >
                <Icon name={up ? "pause" : "play"} />
              </button>
              <OpenLink workspace={workspace} className="btn btn-small" />
            </>
          )}
          <Menu label={`More for ${workspace.name}`} items={menuFor(workspace)}>
            <Icon name="more" />
          </Menu>
        </span>
      </div>
    );
  },
);
