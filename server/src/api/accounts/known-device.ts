import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Tells a browser that has signed in to an account before from any other. The mark is signed with the account's password
 * hash: nothing has to be stored, nobody can make one, and a new password makes all of them void. It opens nothing; it
 * only keeps strangers' guesses from holding its browser up.
 */
export interface DeviceOwner {
  readonly accountId: string;
  readonly passwordHash: string;
}

const sign = (owner: DeviceOwner, id: string): Buffer =>
  createHmac("sha256", owner.passwordHash).update(`device:${owner.accountId}:${id}`).digest();

export function newDevice(owner: DeviceOwner): string {
  const id = randomBytes(16).toString("base64url");
  return `${id}.${sign(owner, id).toString("base64url")}`;
}

/** The device's id, or null for a mark that is not one of this account's. */
export function knownDevice(owner: DeviceOwner, mark: string | null): string | null {
  const [, id, signature] = /^([\w-]{22})\.([\w-]{43})$/.exec(mark ?? "") ?? [];
  if (id === undefined || signature === undefined) return null;
  return timingSafeEqual(sign(owner, id), Buffer.from(signature, "base64url")) ? id : null;
}
