import { TerminalEvents } from "./terminal-events.ts";

/** What survives a reconnect of the same tab, by its reconnection token. */
export interface Presence {
  /** A new window starts as present without saying so. */
  present: boolean;
  /** It has said so at least once, so its silence means something. */
  spoke: boolean;
  /** A window says once what it listens to, and goes on listening over a reconnect. */
  readonly terminals: TerminalEvents;
  at: number;
}

interface Tabs {
  readonly byToken: Map<string, Presence>;
  /** Some were forgotten, so of an unknown one nobody can say what it was. */
  forgetful: boolean;
}

/** Two for each tab; more tabs of one workspace than anybody has open. */
export const MAX_TOKENS_PER_WORKSPACE = 128;
/** Tokens are UUIDs; whatever is much longer is not one. */
const MAX_TOKEN_LENGTH = 64;

/** Remembers who was at which tab. A workspace's tabs push out one another only, never those of another workspace. */
export class Presences {
  readonly #workspaces = new Map<string, Tabs>();

  get size(): number {
    let sum = 0;
    for (const { byToken } of this.#workspaces.values()) sum += byToken.size;
    return sum;
  }

  /** A reconnecting tab goes on as what it was; only a new one starts as present. */
  of(workspaceId: string, token: string, again: boolean, now: number): Presence {
    const tabs = this.#workspaces.get(workspaceId) ?? { byToken: new Map<string, Presence>(), forgetful: false };
    const known = tabs.byToken.get(token);
    if (known !== undefined) return known;
    const knownAsIdle = again && !tabs.forgetful;
    const presence: Presence = { present: !knownAsIdle, spoke: knownAsIdle, terminals: new TerminalEvents(), at: now };
    if (token.length > MAX_TOKEN_LENGTH) return presence;
    if (tabs.byToken.size >= MAX_TOKENS_PER_WORKSPACE) forgetOldest(tabs);
    tabs.byToken.set(token, presence);
    this.#workspaces.set(workspaceId, tabs);
    return presence;
  }

  forgetBefore(oldest: number): void {
    for (const [workspaceId, { byToken }] of this.#workspaces) {
      for (const [token, presence] of byToken) if (presence.at < oldest) byToken.delete(token);
      if (byToken.size === 0) this.#workspaces.delete(workspaceId);
    }
  }
}

function forgetOldest(tabs: Tabs): void {
  let oldest: string | null = null;
  let at = Number.POSITIVE_INFINITY;
  for (const [token, presence] of tabs.byToken) {
    if (presence.at < at) [oldest, at] = [token, presence.at];
  }
  if (oldest !== null) tabs.byToken.delete(oldest);
  tabs.forgetful = true;
}
