import { createHash, randomBytes } from "node:crypto";

/** 256 random bits. What is stored is the hash: whoever reads the database cannot sign in with what is in it. */
export function newSecret(prefix = ""): { readonly secret: string; readonly hash: Uint8Array } {
  const secret = prefix + randomBytes(32).toString("base64url");
  return { secret, hash: hashSecret(secret) };
}

export const hashSecret = (secret: string): Uint8Array => createHash("sha256").update(secret).digest();

/** A password people can read out: no letters or digits that look alike, over 100 bits. */
export function newPassword(): string {
  const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
  const characters = [...randomBytes(24)].map((byte) => alphabet[byte % alphabet.length] ?? "a");
  return [0, 6, 12, 18].map((start) => characters.slice(start, start + 6).join("")).join("-");
}
