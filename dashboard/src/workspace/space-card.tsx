import { ApiError, catalogue, type HomeSpace, type Workspace } from "@codehub/contract";
import { useCallback, useEffect, useRef, useState } from "react";
import { api, problemText } from "../api.ts";
import { bytes } from "../format/format.ts";
import { Card } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { showOverlay } from "../ui/overlay.ts";
import { emptyWords, freedWords, spaceStates } from "../words/space-words.ts";
import { SpaceCommands } from "./space-commands.tsx";

/** After this long it is said that it takes its time. */
const LONG_MS = 4_000;

interface Look {
  readonly space: HomeSpace | null;
  readonly problem: ApiError | null;
  readonly busy: boolean;
}

/** A look costs the machine something, so one is made when somebody asks, and never by itself. */
function useLook(id: string) {
  const [look, setLook] = useState<Look>({ space: null, problem: null, busy: false });
  const busy = useRef(false);
  const again = useCallback(async () => {
    if (busy.current) return;
    busy.current = true;
    setLook(({ space }) => ({ space, problem: null, busy: true }));
    try {
      const space = await api.getHomeSpace({ params: { id } });
      setLook({ space, problem: null, busy: false });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setLook(({ space }) => ({ space, problem: error, busy: false }));
    } finally {
      busy.current = false;
    }
  }, [id]);
  return { ...look, again };
}

interface SpaceProps {
  readonly workspace: Workspace;
  /** Grows when somebody was led here to look. */
  readonly asked: number;
  /** A cache was emptied, which is in the history. */
  readonly onEmptied: () => void;
}

/** Where the room in the home went, and caches that can be emptied right here. */
export function SpaceCard({ workspace, asked, onEmptied }: SpaceProps) {
  const { id, phase } = workspace;
  const running = phase === "RUNNING";
  const { space, problem, busy, again } = useLook(id);
  const [came, setCame] = useState<string | null>(null);
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked when it is asked for, not when the workspace starts.
  useEffect(() => {
    if (asked === 0) return;
    place.current?.scrollIntoView({ block: "start" });
    place.current?.focus({ preventScroll: true });
    if (running) void again();
  }, [asked]);
  const empty = (cache: HomeSpace["caches"][number]) => {
    const run = async () => {
      setCame(freedWords(cache.id, await api.emptyCache({ params: { id, cache: cache.id } })));
      onEmptied();
      void again();
    };
    showOverlay({ kind: "confirm", question: { ...emptyWords(cache.id, cache.bytes), run } });
  };
  const why = running ? spaceStates[space?.state ?? "seen"] : spaceStates.not_running;
  return (
    <div ref={place} tabIndex={-1} className="scroll-mt-20 outline-none">
      <Card
        title="Space"
        aside={
          running && space?.state !== "not_here" ? (
            <button type="button" className="btn btn-small" disabled={busy} onClick={() => void again()}>
              <Icon name="search" /> {space === null ? "Find and free space" : "Look again"}
            </button>
          ) : null
        }
      >
        <div role="status" className="text-sm empty:hidden">
          {came !== null && <p className="mb-3 font-medium">{came}</p>}
          {busy && <Looking />}
        </div>
        {problem !== null && <p className="mb-3 text-sm text-error">{problemText(problem)}</p>}
        {why !== null && <p className="text-sm text-ink-2">{why}</p>}
        {running && space?.state === "seen" && <Seen space={space} busy={busy} onEmpty={empty} />}
        {running && space === null && !busy && problem === null && (
          <p className="text-sm text-ink-2">
            What takes the most room in the home, and caches that can be emptied because they fill again by themselves.
          </p>
        )}
        <SpaceCommands open={space?.state === "not_here"} />
      </Card>
    </div>
  );
}

function Looking() {
  const [long, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="mb-3 text-ink-2">
      {long ? "Still looking: there are many files. It takes a minute at most." : "Looking through the home…"}
    </p>
  );
}

interface SeenProps {
  readonly space: HomeSpace;
  readonly busy: boolean;
  readonly onEmpty: (cache: HomeSpace["caches"][number]) => void;
}

function Seen({ space, busy, onEmpty }: SeenProps) {
  const { whole, home_bytes: home, largest, caches } = space;
  const most = largest[0]?.bytes ?? 0;
  return (
    <>
      <p className="text-sm text-ink-2">
        {home !== null && `The home takes ${bytes(home)}. `}
        {!whole && "There was more than could be looked at in time: these are the sizes of what was seen. "}
        {whole && largest.length === 0 && "Nothing in it is larger than a megabyte."}
      </p>
      {caches.length > 0 && (
        <>
          <h3 className="mt-4 text-sm font-semibold">Caches that fill again by themselves</h3>
          <ul className="mt-1 divide-y divide-line">
            {caches.map((cache) => (
              <li key={cache.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
                <span className="min-w-0 flex-1 basis-40">
                  <span className="text-sm font-medium">{catalogue.caches[cache.id].name}</span>
                  <span className="block text-[13px] text-ink-3 wrap-anywhere">
                    {cache.folders.map((folder) => `~/${folder}`).join(", ")}
                  </span>
                </span>
                <span className="text-sm tabular-nums">{bytes(cache.bytes)}</span>
                <button
                  type="button"
                  className="btn btn-small"
                  disabled={busy}
                  aria-label={`Empty the cache of ${catalogue.caches[cache.id].name}`}
                  onClick={() => onEmpty(cache)}
                >
                  Empty
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {largest.length > 0 && (
        <>
          <h3 className="mt-4 text-sm font-semibold">Largest folders and files</h3>
          <ul className="mt-2 flex flex-col gap-2.5">
            {largest.map(({ path, bytes: size }, index) => (
              // Two names of which something cannot be shown may look the same.
              // biome-ignore lint/suspicious/noArrayIndexKey: the list is shown as it came and never sorted.
              <li key={`${index} ${path}`}>
                <span className="flex items-baseline justify-between gap-3">
                  <bdi className="min-w-0 text-[13px] wrap-anywhere whitespace-pre-wrap">~/{path}</bdi>
                  <span className="shrink-0 text-[13px] font-medium tabular-nums">{bytes(size)}</span>
                </span>
                <span aria-hidden="true" className="mt-1 block h-1.5 overflow-hidden rounded-full bg-sunken">
                  <span
                    className="block h-full rounded-full bg-accent-fill"
                    style={{ width: `${Math.max(1, Math.round((size / most) * 100))}%` }}
                  />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
