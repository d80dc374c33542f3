import type { Ms } from "#core/rows/workspace.ts";

/** What a person keeps and wants to know of whether it works: the SSH key, or the credential for the host of the address. */
export type CheckedKind = "ssh" | "https";

/** A question that is not answered yet. */
export interface OpenCheck {
  readonly id: string;
  readonly userId: string;
  readonly kind: CheckedKind;
  /** Of the address, with the port where it is not the usual one. */
  readonly host: string;
  readonly cloneUrl: string;
  readonly state: "asked" | "running";
  readonly askedAt: Ms;
}
