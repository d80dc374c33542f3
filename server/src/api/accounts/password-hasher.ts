import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { ApiError } from "#api/http/api-error.ts";

const derive = promisify(argon2);

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const ENCODED =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{10,100})\$([A-Za-z0-9+/]{10,200})$/;

const unpadded = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replaceAll("=", "");
const prefix = `$argon2id$v=19$m=${PARAMETERS.memory},t=${PARAMETERS.passes},p=${PARAMETERS.parallelism}$`;

/**
 * argon2id in the usual encoded form. A hash costs 19 MiB and tens of milliseconds by design, so only a few run at
 * once and only so many wait: a flood of logins is refused instead of taking the server down.
 */
export class PasswordHasher {
  readonly #concurrency: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  readonly #dummy: Promise<string>;
  #running = 0;

  constructor(options: { readonly concurrency?: number; readonly maxWaiting?: number } = {}) {
    this.#concurrency = options.concurrency ?? 2;
    this.#maxWaiting = options.maxWaiting ?? 64;
    this.#dummy = this.hash(randomBytes(16).toString("hex"));
    // Observed where it is used; without this a failure at start would count as unhandled.
    this.#dummy.catch(() => undefined);
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const tag = await this.#limited(() => this.#derive(password, salt, PARAMETERS, TAG_BYTES));
    return `${prefix}${unpadded(salt)}$${unpadded(tag)}`;
  }

  /** With null the same work is done against a hash that nothing matches: an unknown user takes as long as a known one. */
  async verify(password: string, encoded: string | null): Promise<boolean> {
    const [, memory, passes, parallelism, salt, tag] = ENCODED.exec(encoded ?? (await this.#dummy)) ?? [];
    if (salt === undefined || tag === undefined) throw new Error("A stored password hash cannot be read.");
    const expected = Buffer.from(tag, "base64");
    const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
    const found = await this.#limited(() =>
      this.#derive(password, Buffer.from(salt, "base64"), parameters, expected.length),
    );
    return timingSafeEqual(found, expected) && encoded !== null;
  }

  /** Made with other parameters than today's; to be made again at the next login. */
  isOutdated(encoded: string): boolean {
    return !encoded.startsWith(prefix);
  }

  #derive(
    password: string,
    salt: Uint8Array,
    parameters: { memory: number; passes: number; parallelism: number },
    tagLength: number,
  ): Promise<Buffer> {
    // Normalised, so that the same password typed on another keyboard is the same password.
    return derive("argon2id", { message: password.normalize("NFKC"), nonce: salt, tagLength, ...parameters });
  }

  async #limited<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#concurrency) {
      if (this.#waiting.length >= this.#maxWaiting) throw new ApiError("OVERLOADED", undefined, { "retry-after": "2" });
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }
}
