import { useLive } from "../live/store.ts";
import { useSession } from "../session.tsx";
import { held } from "./slots.ts";

/** "2 of 2 running": said before the start that would be refused. */
export function RunningCount() {
  const most = useSession().session.deployment.limits.max_running_per_user;
  const used = useLive((state) => held(state.workspaces.values()));
  return (
    <span className={`text-[13px] whitespace-nowrap tabular-nums ${used < most ? "text-ink-3" : "text-standby"}`}>
      {used} of {most} running
    </span>
  );
}
