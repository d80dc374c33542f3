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

/** Above each group of rows. */
export const groupHeight = 36;

/** Administrators put others' workspaces to sleep and delete them; starting is the owner's. */
const menuFor = (workspace: Listed, other: string | null): MenuItem[] => [
  ...(workspace.desired_state === "RUNNING"
    ? [{ label: "Put on standby", icon: "pause" as const, run: () => void request(workspace.id, "STANDBY") }]
    : other === null
      ? [{ label: "Start", icon: "play" as const, run: () => void request(workspace.id, "RUNNING") }]
      : []),
  ...(workspace.phase === "RUNNING" && workspace.operation === "NONE" && other === null
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
    <span className="flex min-w-0 items-center gap-1.5 text-[13px] text-ink-3">
      <Icon name={look.icon} className={`size-4 ${look.text}`} />
      <span className="shrink-0 text-ink">
        {workspace.home_bytes === null ? look.word : bytes(workspace.home_bytes)}
      </span>
      <span className="truncate">
        {proof === null ? (
          "no archive yet"
        ) : (
          <>
            safe as of <Time at={proof.verified_at} />
          </>
        )}
      </span>
    </span>
  );
}

function Actions({ workspace, other }: { workspace: Listed; other: string | null }) {
  const up = workspace.desired_state === "RUNNING";
  const called = calledIn(workspace, other);
  return (
    <>
      {workspace.phase === "ERROR" ? (
        <button
          type="button"
          className="btn btn-small"
          aria-label={`Recover ${called}`}
          onClick={() => showOverlay({ kind: "recover", workspace })}
        >
          <Icon name="refresh" /> <span className="max-lg:hidden">Recover</span>
        </button>
      ) : (
        <>
          {(up || other === null) && (
            <button
              type="button"
              className="btn btn-quiet btn-icon size-8 max-lg:hidden"
              aria-label={`${up ? "Stop" : "Start"} ${called}`}
              title={up ? "Put on standby" : "Start"}
              onClick={() => void request(workspace.id, up ? "STANDBY" : "RUNNING")}
            >
              <Icon name={up ? "pause" : "play"} />
            </button>
          )}
          {other === null && <OpenLink workspace={workspace} className="btn btn-small" row />}
        </>
      )}
      <Menu label={`More for ${called}`} items={menuFor(workspace, other)} className="btn btn-quiet btn-icon size-8">
        <Icon name="more" />
      </Menu>
    </>
  );
}

/** Names are one person's: two people may have given the same. */
const calledIn = ({ name }: Listed, other: string | null) => (other === null ? name : `${name} of ${other}`);

export const TableRow = memo(
  ({
    workspace,
    other,
    index,
    headings,
    grouped,
    height,
    selected,
    pinned,
    onToggle,
    onPin,
  }: {
    workspace: Listed;
    /** Whose it is, where it is somebody else's. */
    other: string | null;
    index: number;
    /** Of groups, above this row. */
    headings: number;
    /** Under a heading that says whose it is. */
    grouped: boolean;
    height: number;
    selected: boolean;
    pinned: boolean;
    /** With everything in between, from the last one that was chosen, where a range is asked for. */
    onToggle: (id: string, range: boolean) => void;
    onPin: ((id: string) => void) | null;
  }) => (
    <div
      role="row"
      aria-rowindex={index + headings + 2}
      aria-selected={selected}
      data-row={index}
      data-workspace={workspace.id}
      className={`table-grid absolute inset-x-0 border-b border-line px-2 focus-within:bg-sunken/60 hover:bg-sunken/60 ${selected ? "bg-accent-soft/60" : ""}`}
      style={{ top: `${index * height + headings * groupHeight}px`, height: `${height}px` }}
    >
      <span role="cell" className="area-check">
        <Tick
          label={`Select ${calledIn(workspace, other)}`}
          checked={selected}
          onChange={(range) => onToggle(workspace.id, range)}
        />
      </span>
      <span role="cell" className="area-pin">
        {onPin !== null && (
          <button
            type="button"
            aria-label={`Pin ${workspace.name}`}
            aria-pressed={pinned}
            title={pinned ? "Not pinned any more" : "Pin to the top"}
            className={`grid size-7 place-items-center rounded-md hover:bg-sunken ${pinned ? "text-accent" : "text-ink-3"}`}
            onClick={() => onPin(workspace.id)}
          >
            <Icon name="pin" className={`size-4 ${pinned ? "fill-current" : ""}`} />
          </button>
        )}
      </span>
      <span role="cell" className="area-name flex min-w-0 items-baseline gap-2" title={workspace.name}>
        <Link
          to={pathOf.workspace(workspace.id)}
          className="min-w-12 truncate rounded-sm py-0.5 font-semibold hover:underline"
          nameLink
        >
          {workspace.name}
        </Link>
        {other !== null && !grouped && (
          <span className="max-w-[45%] shrink-0 truncate text-[13px] text-ink-2">{other}</span>
        )}
        <span className="min-w-0 flex-1 basis-0 truncate text-[13px] text-ink-3 max-lg:hidden">
          {workspace.description ?? workspace.image_ref}
        </span>
      </span>
      <span role="cell" className="area-status flex min-w-0">
        <Status workspace={workspace} />
      </span>
      <span role="cell" className="area-now min-w-0">
        <NowAndNext workspace={workspace} />
      </span>
      <span role="cell" className="area-activity min-w-0 truncate text-[13px] text-ink-2">
        {workspace.last_access_at === null ? "never" : <Time at={workspace.last_access_at} />}
      </span>
      <span role="cell" className="area-home min-w-0">
        <Home workspace={workspace} />
      </span>
      <span role="cell" className="area-actions flex items-center justify-end gap-1">
        <Actions workspace={workspace} other={other} />
      </span>
    </div>
  ),
);

/** A tick that is hit beside it, too. */
export const Tick = ({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (range: boolean) => void;
}) => (
  <label className="grid size-8 cursor-pointer place-items-center rounded-md">
    <input
      type="checkbox"
      aria-label={label}
      className="size-4 accent-accent-fill"
      checked={checked}
      onChange={({ nativeEvent }) => onChange(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
    />
  </label>
);
