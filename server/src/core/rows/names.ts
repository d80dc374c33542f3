/** Every name contains the attempt, so that two attempts never write to the same place. DNS-1123, no underscores. */
export const volumeName = (workspaceId: string, attempt: string): string =>
  `ws-${workspaceId}-home-${attempt.replaceAll("-", "").slice(0, 8)}`;

export const containerName = (workspaceId: string): string => `ws-${workspaceId}`;

export const archiveKey = (workspaceId: string, attempt: string): string => `${workspaceId}/${attempt}/home.tar.zst`;

export const metaKey = (key: string): string => `${key}.meta`;

const ARCHIVE_KEY = /^([0-9a-f-]{36})\/([0-9a-f-]{36})\/home\.tar\.zst$/;

/** The parts of a key, or null for an object that is not one of ours. */
export function parseArchiveKey(key: string): { readonly workspaceId: string; readonly opId: string } | null {
  const match = ARCHIVE_KEY.exec(key);
  return match?.[1] !== undefined && match[2] !== undefined ? { workspaceId: match[1], opId: match[2] } : null;
}
