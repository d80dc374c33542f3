import type { UserOverview } from "@codehub/contract";
import { bytes, counted } from "../format/format.ts";

type Use = Pick<UserOverview, "workspaces" | "running" | "in_trash" | "home_bytes" | "archive_bytes" | "max_running">;

/** What somebody has and uses, on one line; what there is nothing of is left out. */
export const userUse = (user: Use): string =>
  [
    user.workspaces === 0 ? "no workspaces" : counted(user.workspaces, "workspace"),
    user.running === 0 && user.max_running === null
      ? null
      : `${user.running}${user.max_running === null ? "" : ` of ${user.max_running}`} running`,
    user.in_trash === 0 ? null : `${user.in_trash} in the trash`,
    user.home_bytes === 0 ? null : `${bytes(user.home_bytes)} on disk`,
    user.archive_bytes === 0 ? null : `${bytes(user.archive_bytes)} of archives`,
  ]
    .filter((part) => part !== null)
    .join(" · ");
