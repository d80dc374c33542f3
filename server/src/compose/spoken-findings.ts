import { findingText } from "@codehub/contract/words";
import type { Finding } from "#core/doctor/finding.ts";

export interface SpokenFinding extends Finding {
  readonly found: string;
  /** What to do; null where nothing has to be done. */
  readonly cure: string | null;
}

/** Findings with their words. */
export const spoken = (findings: readonly Finding[]): readonly SpokenFinding[] =>
  findings.map((finding) => ({ ...finding, ...findingText(finding) }));
