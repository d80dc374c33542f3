import type { Ms } from "#core/rows/workspace.ts";
import type { ErrorReason } from "#core/rules/errors.ts";

/** "8 min", "2 h 5 min", "3 days": as exact as a person needs it. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
}

/** "14:02 UTC", with the day where it is not today's. */
export function clockTime(at: Ms, now: Ms): string {
  const iso = new Date(at).toISOString();
  const day = iso.slice(0, 10);
  const time = `${iso.slice(11, 16)} UTC`;
  return day === new Date(now).toISOString().slice(0, 10) ? time : `${day} ${time}`;
}

/** What the owner of a workspace in ERROR can do about it. */
export const REMEDIES: Readonly<Record<ErrorReason, string>> = {
  Timeout: "The operation made no progress for too long and was ended. Recover tries it again.",
  RetryExceeded: "The same step failed several times. Look at the message, remove the cause, then recover.",
  ActionFailed: "Look at the message and the logs, remove the cause, then recover.",
  DataLost:
    "The volume with the home is gone. Bring it back and the error clears by itself, or recover: restore an archive, or start with an empty home.",
  Unreachable: "The engine or the store cannot be reached. It is tried again by itself until it answers.",
  ImagePullFailed: "The image could not be had. Choose another image or make this one available, then recover.",
  ContainerWithoutVolume:
    "A container runs without its volume. Recover removes the container; the volume must come back.",
  ArchiveCorrupted: "The archive does not match its checksum. Recover with an older version of the archive.",
  ArchiveAccessError:
    "The archive with the home cannot be read. When it can be read again the error clears by itself; or recover with an older version.",
  DiskFull:
    "The disk that holds the homes is nearly full. An administrator has to make room; then it goes on by itself.",
};
