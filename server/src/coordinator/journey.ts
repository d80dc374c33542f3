import type { Workspace } from "#core/rows/workspace.ts";
import { OperationFailure } from "#ports/failure.ts";
import { REQUEST, type Span } from "#ports/tracer.ts";
import type { TermContext } from "./term.ts";

/** What the leader does for one attempt, told as parts of the journey that the newest request began. */
export class AttemptJourney {
  readonly #term: TermContext;
  readonly #row: Workspace;
  /** The same attempt may be gone on with by another leader. */
  readonly #id: string;

  constructor(term: TermContext, row: Workspace) {
    this.#term = term;
    this.#row = row;
    this.#id = `${term.store.epoch} ${row.opId}`;
  }

  /** From the first look at the row until the operation was claimed. */
  claimed(from: number): void {
    this.#record({ name: "claim", from, failure: null, id: `${this.#id} claim`, parent: REQUEST });
  }

  /** The whole attempt; `run` tells how it failed, and throws where that is not certain. */
  attempt<T>(run: () => Promise<T>, failureIn: (result: T) => string | null): Promise<T> {
    return this.#measured({ name: this.#row.operation, id: this.#id, parent: REQUEST }, run, failureIn);
  }

  step<T>(name: string, run: () => Promise<T>): Promise<T> {
    return this.#measured({ name, id: `${this.#id} ${name}`, parent: this.#id }, run, () => null);
  }

  async #measured<T>(
    span: Pick<Span, "name" | "id" | "parent">,
    run: () => Promise<T>,
    failureIn: (result: T) => string | null,
  ): Promise<T> {
    const from = this.#term.deps.clock.nowMs();
    try {
      const result = await run();
      this.#record({ ...span, from, failure: failureIn(result) });
      return result;
    } catch (error) {
      this.#record({ ...span, from, failure: error instanceof OperationFailure ? error.reason : "Error" });
      throw error;
    }
  }

  #record(span: Omit<Span, "journey" | "to" | "fields">): void {
    const { id: workspaceId, desiredVersion: version, operation, opId, desiredState } = this.#row;
    const { deps, store } = this.#term;
    deps.tracer?.record({
      ...span,
      journey: { workspaceId, version },
      to: deps.clock.nowMs(),
      fields: { operation, attempt: opId ?? "", desired_state: desiredState, epoch: store.epoch },
    });
  }
}
