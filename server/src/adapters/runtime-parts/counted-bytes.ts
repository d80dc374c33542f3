import { type Seen, seen, unseen } from "#core/rows/observation.ts";

/** Of what `du -sk` printed. Files that it may not read are left out, and so is what it says of them. */
export function countedBytes(printed: string): Seen<number> {
  const kilobytes = /^(\d{1,12})\s/.exec(printed)?.[1];
  return kilobytes === undefined ? unseen("unanswered") : seen(Number(kilobytes) * 1_024);
}
