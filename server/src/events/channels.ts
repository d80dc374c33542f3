/** Names on the bus, from configuration. A user's channel is exactly the prefix and the user's id. */
export interface Channels {
  readonly ssePrefix: string;
  readonly wakePrefix: string;
}

export const userChannel = (channels: Channels, userId: string): string => `${channels.ssePrefix}${userId}`;
/** "Something may have been missed": everybody reads everything again. No user has this id. */
export const resyncChannel = (channels: Channels): string => `${channels.ssePrefix}all`;
/** The two channels that wake the coordinator: its observer and its controller. */
export const wakeChannels = (channels: Channels): readonly string[] => [
  `${channels.wakePrefix}ob`,
  `${channels.wakePrefix}wc`,
];

/** Somebody asks whether a key works. */
export const checkChannel = (channels: Channels): string => `${channels.wakePrefix}ck`;

/** What proxies must look at again: a workspace's id, or SESSIONS when somebody was signed out. */
export const proxyChannel = (channels: Channels): string => `${channels.wakePrefix}px`;
export const SESSIONS = "sessions";

/** What travels on a user's channel: never content, only what to read. */
export interface ChangeMessage {
  readonly kind: "updated" | "deleted" | "progress";
  readonly id: string;
  readonly version: number;
}

export function parseChange(message: string): ChangeMessage | null {
  try {
    const value: unknown = JSON.parse(message);
    if (typeof value !== "object" || value === null) return null;
    const { kind, id, version } = value as Record<string, unknown>;
    const known = kind === "updated" || kind === "deleted" || kind === "progress";
    return known && typeof id === "string" && typeof version === "number" ? { kind, id, version } : null;
  } catch {
    return null;
  }
}
