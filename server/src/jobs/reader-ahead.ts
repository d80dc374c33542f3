import type { ArchiveFacts } from "#core/rows/workspace.ts";

/**
 * The job that will read an archive back, started while the last bytes of the archive go to the disk: the start of a container
 * is then not waited for. It is given nothing before all of the archive is stored.
 */
export class ReaderAhead {
  readonly stored: PromiseWithResolvers<ArchiveFacts> = Promise.withResolvers<ArchiveFacts>();
  #reading: Promise<void> | null = null;

  constructor() {
    this.stored.promise.catch(() => {});
  }

  begin(read: () => Promise<void>): void {
    if (this.#reading !== null) return;
    this.#reading = read();
    // Told by `go`; where nobody comes so far, something else failed.
    this.#reading.catch(() => {});
  }

  /** Null when there is none: a job that ended well has always said what it packed. */
  go(facts: ArchiveFacts): Promise<void> | null {
    this.stored.resolve(facts);
    return this.#reading;
  }

  /** Nothing of it is left when this settles. */
  async end(): Promise<void> {
    this.stored.reject(new Error("the archive was not stored"));
    await this.#reading?.catch(() => {});
  }
}
