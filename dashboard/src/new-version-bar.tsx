import { useNewVersion } from "./hooks/new-version.ts";
import { useLive } from "./live/store.ts";
import { loadAgain } from "./load-again.ts";

/** Says that the server was updated. Loading again is left to whoever is in the middle of something here. */
export function NewVersionBar() {
  const live = useLive((state) => state.connection.status === "live");
  const [isThere, hide] = useNewVersion(live);
  return (
    // There from the beginning: screen readers tell what comes into it.
    <div role="status">
      {isThere && (
        <div className="border-b border-line bg-accent-soft">
          <div className="mx-auto flex max-w-7xl flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2 text-sm sm:px-6">
            <p className="min-w-0 flex-1 basis-60">
              CodeHub was updated. This page is the one of before; load it again when it suits you.
            </p>
            <div className="flex gap-2">
              <button type="button" className="btn btn-small" onClick={() => void loadAgain()}>
                Load again
              </button>
              <button type="button" className="btn btn-quiet btn-small" onClick={hide}>
                Later
              </button>
            </div>
          </div>
        </div>
      )}
    </div>
  );
}
