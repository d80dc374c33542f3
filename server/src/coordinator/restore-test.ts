import { archiveKey } from "#core/rows/names.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import type { Failure } from "#core/rules/errors.ts";
import { failureOf, OperationFailure } from "#ports/failure.ts";
import { readBack } from "./read-back.ts";
import type { TermContext } from "./term.ts";

/** Restore tests: each reads one archive back in full, beside the workspace's life and without touching it. */
export class RestoreTests {
  readonly #term: TermContext;
  readonly #running = new Set<string>();

  constructor(term: TermContext) {
    this.#term = term;
  }

  start(row: Workspace, version: number, opId: string): void {
    if (this.#running.has(row.id)) return;
    this.#running.add(row.id);
    void this.#run(row, version, opId)
      .catch((error: unknown) => {
        // The request stays open: the next pass begins the test again.
        this.#term.logger.warn({ workspace: row.id, error: String(error) }, "restore test could not run");
      })
      .finally(() => this.#running.delete(row.id));
  }

  async #run(row: Workspace, version: number, opId: string): Promise<void> {
    const test = { version, opId, failure: await this.#readBack(row, opId) };
    await this.#term.store.mutate(row.id, (facts) => this.#term.deps.decisions.recordRestoreTest(facts, test));
  }

  async #readBack(row: Workspace, opId: string): Promise<Failure | null> {
    const key = archiveKey(row.id, opId);
    const [known] = await this.#term.store.readArchives([key]);
    if (known?.record == null) return failureOf("ArchiveCorrupted", "no_archive_record");
    try {
      await readBack(this.#term, key, known.record.facts);
      return null;
    } catch (error) {
      if (error instanceof OperationFailure && error.reason !== "Unreachable") return error;
      throw error;
    }
  }
}
