import type { StepOutput as Shown } from "@codehub/contract";
import { plainOutput, type StepOutput } from "#core/setup/output.ts";

/** As text. What belongs together is put together before it is read: a sign may lie across the two. */
export function presentOutput({ head, tail, hasGap }: StepOutput): Shown {
  if (hasGap) return { beginning: textOf(head), end: textOf(tail) };
  return { beginning: textOf(Buffer.concat([head, tail])), end: null };
}

const textOf = (bytes: Uint8Array): string => plainOutput(new TextDecoder().decode(bytes));
