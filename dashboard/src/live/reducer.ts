import { type Listed, listed, type ServerEvent, type Workspace } from "@codehub/contract";

/** What was asked for but is not answered yet. It is shown as asked, never as done. */
interface Pending {
  readonly label: string;
}

type Connection =
  | { readonly status: "connecting" }
  | { readonly status: "live" }
  | { readonly status: "lost"; readonly since: number };

export interface LiveState {
  /** False until the first snapshot: an empty list and a list that is not known yet are different things. */
  readonly loaded: boolean;
  readonly workspaces: ReadonlyMap<string, Listed>;
  /** The whole form of those that were lately opened or changed here, also of other people's. It may be behind the row. */
  readonly whole: ReadonlyMap<string, Workspace>;
  /** The highest version seen of each workspace, also of those taken out of the list. */
  readonly versions: ReadonlyMap<string, number>;
  readonly pending: ReadonlyMap<string, Pending>;
  readonly connection: Connection;
}

export type LiveAction =
  | ServerEvent
  | { readonly type: "answered"; readonly workspace: Workspace }
  | { readonly type: "asked"; readonly id: string; readonly label: string }
  | { readonly type: "settled"; readonly id: string }
  | { readonly type: "connected" }
  | { readonly type: "disconnected"; readonly at: number };

export const initialLiveState: LiveState = {
  loaded: false,
  workspaces: new Map(),
  whole: new Map(),
  versions: new Map(),
  pending: new Map(),
  connection: { status: "connecting" },
};

const withEntry = <V>(map: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> =>
  new Map(map).set(key, value);
function withoutEntry<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  if (!map.has(key)) return map;
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}

/** A late event must not undo a newer one. An equal version is taken: what is computed from the clock may differ. */
function store(state: LiveState, workspace: Listed): LiveState {
  if (workspace.version < (state.versions.get(workspace.id) ?? -1)) return state;
  return {
    ...state,
    workspaces: withEntry(state.workspaces, workspace.id, workspace),
    versions: withEntry(state.versions, workspace.id, workspace.version),
  };
}

const MOST_WHOLE = 20;

/** An answer tells all of a workspace. Into the list go those that are in it, and new ones of one's own: only these have a door. */
function takeIn(state: LiveState, workspace: Workspace): LiveState {
  const { id, version } = workspace;
  if (version < (state.whole.get(id)?.version ?? -1)) return state;
  const whole = new Map(state.whole);
  whole.delete(id);
  whole.set(id, workspace);
  for (const oldest of whole.keys()) {
    if (whole.size <= MOST_WHOLE) break;
    whole.delete(oldest);
  }
  const own = workspace.open_url !== null || state.workspaces.has(id);
  return { ...(own ? store(state, workspace) : state), whole };
}

/**
 * A snapshot is the whole truth of its moment: what it does not hold is gone. An answer to the user's own request may
 * have overtaken it, so a newer version that is known already stays.
 */
function replaceAll(state: LiveState, items: readonly Listed[]): LiveState {
  const kept = items.map((item) => {
    const known = state.workspaces.get(item.id);
    return known !== undefined && known.version > item.version ? known : item;
  });
  return {
    ...state,
    loaded: true,
    workspaces: new Map(kept.map((item) => [item.id, item])),
    versions: new Map(kept.map((item) => [item.id, item.version])),
  };
}

function takeOut(state: LiveState, id: string, version: number): LiveState {
  const known = state.workspaces.get(id);
  // The update that carries deleted_at may have come first; it belongs to the trash and stays.
  if (known === undefined || known.deleted_at !== null || known.version > version) return state;
  return {
    ...state,
    workspaces: withoutEntry(state.workspaces, id),
    versions: withEntry(state.versions, id, version),
  };
}

export function reduceLive(state: LiveState, action: LiveAction): LiveState {
  switch (action.type) {
    case "snapshot":
      return replaceAll(state, action.data.workspaces.map(listed));
    case "workspace_updated":
      return store(state, listed(action.data));
    case "answered":
      return takeIn(state, action.workspace);
    case "workspace_deleted":
      return takeOut(state, action.data.id, action.data.version);
    case "workspace_progress": {
      const known = state.workspaces.get(action.data.id);
      if (known === undefined || known.operation === "NONE" || action.data.version < known.version) return state;
      return {
        ...state,
        workspaces: withEntry(state.workspaces, known.id, { ...known, progress: action.data.progress }),
      };
    }
    case "asked":
      return { ...state, pending: withEntry(state.pending, action.id, { label: action.label }) };
    case "settled":
      return { ...state, pending: withoutEntry(state.pending, action.id) };
    case "connected":
      return { ...state, connection: { status: "live" } };
    case "disconnected":
      // The first loss is the one that counts: "since" is when the page stopped knowing.
      return state.connection.status === "lost"
        ? state
        : { ...state, connection: { status: "lost", since: action.at } };
    case "resync":
    case "heartbeat":
      return state;
  }
}
