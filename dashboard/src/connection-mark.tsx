import { span } from "@codehub/contract";
import { exact } from "./format/format.ts";
import { useNow } from "./hooks/clock.ts";
import { useLive } from "./live/store.ts";
import { Icon } from "./ui/icons.tsx";

/** Whether what the page shows is live. Losing the line is said in words, with how long ago, until it is back. */
export function ConnectionMark() {
  const connection = useLive((state) => state.connection);
  const loaded = useLive((state) => state.loaded);
  const now = useNow(1000);
  if (connection.status === "lost") {
    const lostFor = Math.max(0, now - connection.since);
    return (
      <span
        role="status"
        title={`Not live since ${exact(connection.since)}. Reconnecting by itself.`}
        className="mr-1 inline-flex items-center gap-2 rounded-full bg-error-soft px-3 py-1 text-[13px] font-medium text-error"
      >
        <Icon name="offline" />
        <span>Offline{loaded && <span className="hidden sm:inline">, showing {span(lostFor)} old data</span>}</span>
      </span>
    );
  }
  return (
    <span role="status" className="mr-1 hidden items-center gap-2 px-2 text-[13px] text-ink-3 md:inline-flex">
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${connection.status === "live" ? "bg-running" : "animate-breathe bg-pending"}`}
      />
      {connection.status === "live" ? "Live" : "Connecting"}
    </span>
  );
}
