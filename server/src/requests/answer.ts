import type { Refusal } from "#core/requests/requests.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import type { SlotHolder } from "#ports/views.ts";

/** Which limit was reached, as counted in the transaction that refused. */
export interface LimitReached {
  readonly scope: "user" | "global";
  readonly limit: number;
  /** Slots held within that scope, without the workspace that asked. */
  readonly held: number;
  /** The owner's other workspaces that hold a slot, the idlest first: never anybody else's. */
  readonly running: readonly SlotHolder[];
}

export type Refused =
  | { readonly accepted: false; readonly refusal: "RUNNING_LIMIT_EXCEEDED"; readonly reached: LimitReached }
  | {
      readonly accepted: false;
      readonly refusal: Exclude<Refusal, "RUNNING_LIMIT_EXCEEDED">;
      /** As it was when it refused; null for one that does not exist. */
      readonly row: Workspace | null;
    }
  | { readonly accepted: false; readonly refusal: "SINGLE_USER" }
  | { readonly accepted: false; readonly refusal: "SIZE_FIXED" }
  | {
      readonly accepted: false;
      readonly refusal: "IMAGE_NOT_ALLOWED";
      readonly image: string;
      readonly allowed: readonly string[];
    };

/** What comes of a request: it is on record now, or why not. */
export type Answer = { readonly accepted: true } | Refused;
