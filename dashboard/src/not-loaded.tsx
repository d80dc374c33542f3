import { useLive } from "./live/store.ts";
import { Notice, Spinner } from "./ui/basics.tsx";

/** In place of one's own workspaces until they are known: on their way, or not to be had. */
export function NotLoaded() {
  const lost = useLive((state) => state.connection.status === "lost");
  return lost ? (
    <Notice tone="error" title="The workspaces cannot be loaded" live>
      The server does not answer. This page goes on trying by itself.
    </Notice>
  ) : (
    <Spinner label="Loading workspaces" />
  );
}
