import type { Reason } from "./meaning.ts";
import type { Ms } from "./workspace.ts";

/** What became of the repository that a home was to have. A new, empty home knows of none. */
export interface HomeSetup {
  /** The request that it answers: while there is one with a higher number, it is prepared anew. */
  readonly version: number;
  readonly state: "ready" | "failed" | "skipped";
  /** Below the home; null where there is no project. */
  readonly folder: string | null;
  readonly commit: string | null;
  readonly branch: string | null;
  /** Why there is no project. */
  readonly failure: SetupFailure | null;
  /** What is not as it should be although the project is there. */
  readonly notices: readonly Reason[];
  readonly at: Ms;
  readonly tookMs: number;
}

export interface SetupFailure extends Reason {
  readonly step: string;
  /** What git or another program said about it. */
  readonly message: string;
}
