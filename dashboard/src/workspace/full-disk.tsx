import type { Workspace } from "@codehub/contract";
import { useState } from "react";
import { report, restart } from "../actions.ts";
import { useSession } from "../session.tsx";
import { Notice, Time } from "../ui/basics.tsx";
import { growHome, homeRoom, inGib, nextSize } from "./grow-home.ts";

/** A disk can be that much smaller than what it was asked to be: a file system takes some of it for itself. */
const roughly = 1.5;
/** In per cent: from here on it is soon too late. */
const urgent = 95;

type Way = { readonly kind: "grow"; readonly bytes: number } | { readonly kind: "restart" | "ask" | "share" };

/** The disk of the home is nearly full: how full, and what this person can do about it, right here. */
export function FullDisk({ workspace, own, onFind }: { workspace: Workspace; own: boolean; onFind: () => void }) {
  const { session } = useSession();
  const [asking, setAsking] = useState(false);
  const { home_disk: disk } = workspace;
  if (disk === null || workspace.deleted_at !== null) return null;
  const room = homeRoom(workspace, session);
  const bytes = room === null ? null : nextSize(room);
  const grown = room !== null && room.held > disk.total_bytes * roughly;
  const way: Way = disk.shared
    ? { kind: "share" }
    : grown && workspace.phase === "RUNNING"
      ? { kind: "restart" }
      : bytes !== null
        ? { kind: "grow", bytes }
        : { kind: "ask" };
  const grow = async (size: number) => {
    setAsking(true);
    await growHome(workspace, size).catch(report);
    setAsking(false);
  };
  const percent = Math.min(100, Math.floor((disk.used_bytes / disk.total_bytes) * 100));
  return (
    <Notice
      tone={percent >= urgent ? "error" : "warning"}
      title={disk.shared ? "The disk of all homes is nearly full" : "The disk of this home is nearly full"}
      live
      {...(own || way.kind === "grow"
        ? {
            actions: (
              <>
                {own && (
                  <button type="button" className="btn btn-small" onClick={onFind}>
                    Find and free space
                  </button>
                )}
                {way.kind === "grow" && (
                  <button
                    type="button"
                    className="btn btn-small"
                    disabled={asking}
                    onClick={() => void grow(way.bytes)}
                  >
                    Make it {inGib(way.bytes)} GiB
                  </button>
                )}
                {way.kind === "restart" && own && (
                  <button type="button" className="btn btn-small" onClick={() => void restart(workspace.id)}>
                    Restart now
                  </button>
                )}
              </>
            ),
          }
        : {})}
    >
      <p>
        {inGib(disk.used_bytes)} of {inGib(disk.total_bytes)} GiB are used ({percent} %), measured{" "}
        <Time at={disk.measured_at} />. {words[way.kind]}
      </p>
    </Notice>
  );
}

const words: Record<Way["kind"], string> = {
  grow: "When it is full, programs fail to save. Delete what is not needed, or make the home larger.",
  restart: "The home was made larger. It has its new size at the next start at the latest.",
  ask: "When it is full, programs fail to save. Delete what is not needed, or ask an administrator to make the home larger.",
  share:
    "When it is full, nobody can save and no workspace starts. Delete what is not needed; an administrator can free space or add some.",
};
