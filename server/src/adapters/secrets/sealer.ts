import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Place, Sealed, Sealer } from "#ports/secrets.ts";
import { type FileKey, readKeyFile } from "./key-file.ts";

const CIPHER = "aes-256-gcm";
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What is not secret, but must be as it was when the value was sealed. */
const boundTo = ({ owner, scope, name, id }: Place): Buffer =>
  Buffer.from(JSON.stringify([FORMAT, owner, scope, name, id]));

function encrypt(key: Uint8Array, plain: Uint8Array, bound: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(bound);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Null for anything that was not encrypted with this key for this place. */
function decrypt(key: Uint8Array, sealed: Uint8Array, bound: Buffer): Buffer | null {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(-TAG_BYTES);
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
  try {
    const cipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(bound).setAuthTag(tag);
    return Buffer.concat([cipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), cipher.final()]);
  } catch {
    return null;
  }
}

/**
 * Each value has a key of its own, which the file's key seals: another key of the file costs 60 bytes a row and not the
 * values. Keys that are not what the database knows by their names are as if they were not there.
 */
export class FileSealer implements Sealer {
  readonly #path: string;
  readonly #trusts: (key: FileKey) => boolean;
  #keys: ReadonlyMap<string, Uint8Array>;

  constructor(path: string, keys: readonly FileKey[], trusts: (key: FileKey) => boolean = () => true) {
    this.#path = path;
    this.#trusts = trusts;
    this.#keys = this.#trusted(keys);
  }

  async has(keyId: string): Promise<boolean> {
    return (await this.#key(keyId)) !== null;
  }

  async seal(keyId: string, place: Place, value: string): Promise<Sealed | null> {
    const key = await this.#key(keyId);
    if (key === null) return null;
    const own = randomBytes(32);
    const bound = boundTo(place);
    return { keyId, wrapped: encrypt(key, own, bound), box: encrypt(own, Buffer.from(value), bound) };
  }

  async open(place: Place, sealed: Sealed): Promise<string | null> {
    const bound = boundTo(place);
    const own = await this.#unwrap(bound, sealed);
    return own === null ? null : (decrypt(own, sealed.box, bound)?.toString("utf8") ?? null);
  }

  async rewrap(keyId: string, place: Place, sealed: Sealed): Promise<Sealed | null> {
    const bound = boundTo(place);
    const own = await this.#unwrap(bound, sealed);
    const key = await this.#key(keyId);
    return own === null || key === null ? null : { keyId, wrapped: encrypt(key, own, bound), box: sealed.box };
  }

  async #unwrap(bound: Buffer, { keyId, wrapped }: Sealed): Promise<Buffer | null> {
    const key = await this.#key(keyId);
    return key === null ? null : decrypt(key, wrapped, bound);
  }

  async #key(id: string): Promise<Uint8Array | null> {
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    // A rotation has put another one into the file since it was read; one that cannot be read now holds none.
    const keys = await readKeyFile(this.#path).catch(() => null);
    if (keys !== null) this.#keys = this.#trusted(keys);
    return this.#keys.get(id) ?? null;
  }

  #trusted(keys: readonly FileKey[]): ReadonlyMap<string, Uint8Array> {
    return new Map(keys.filter(this.#trusts).map(({ id, key }) => [id, key]));
  }
}
