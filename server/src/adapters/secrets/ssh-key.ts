import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { SshKeyPair } from "#ports/user-keys.ts";

const KIND = "ssh-ed25519";
const LINE_LENGTH = 70;

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function string(value: Buffer | string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
}

/** A new Ed25519 pair in OpenSSH's own form (PROTOCOL.key): Node writes only one that OpenSSH does not read. */
export function newSshKey(comment: string): SshKeyPair {
  const jwk = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const publicBytes = Buffer.from(jwk.x ?? "", "base64url");
  const seed = Buffer.from(jwk.d ?? "", "base64url");
  const publicBlob = Buffer.concat([string(KIND), string(publicBytes)]);
  // The same number twice: with a passphrase it would show that the right one was used.
  const check = randomBytes(4);
  const secret = Buffer.concat([check, check, publicBlob, string(Buffer.concat([seed, publicBytes])), string(comment)]);
  const padding = Buffer.from(Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, index) => index + 1));
  const whole = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    string("none"),
    string("none"),
    string(""),
    number(1),
    string(publicBlob),
    string(Buffer.concat([secret, padding])),
  ]);
  const lines = whole.toString("base64").match(new RegExp(`.{1,${LINE_LENGTH}}`, "g")) ?? [];
  return {
    privateKey: `${["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----"].join("\n")}\n`,
    publicKey: `${KIND} ${publicBlob.toString("base64")} ${comment}`,
  };
}
