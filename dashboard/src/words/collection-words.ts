import { formOf, type GarbageCollection } from "@codehub/contract";
import { count, dayAndTime } from "../format/format.ts";

type Kept = GarbageCollection["kept"][number];

const one: Readonly<Record<Kept["reason"], string>> = {
  in_use: "it is the newest copy of a workspace's home",
  version: "it is an older version of a home, to go back to",
  trash: "it is in the trash and can be restored",
  operation: "an operation is writing it",
  error: "its workspace is in error: somebody has to look at it first",
};
const many: Readonly<Record<Kept["reason"], string>> = {
  in_use: "they are the newest copies of workspaces' homes",
  version: "they are older versions of homes, to go back to",
  trash: "they are in the trash and can be restored",
  operation: "operations are writing them",
  error: "their workspaces are in error: somebody has to look at them first",
};

export const archives = (amount: number): string =>
  `${count(amount)} ${formOf(amount, { one: "archive", other: "archives" })}`;

/** Why archives stay, as the end of a sentence that begins with how many there are. */
export function keptBecause({ reason, count: amount, until }: Kept): string {
  const because = `kept because ${(amount === 1 ? one : many)[reason]}`;
  if (until === null) return because;
  return `${because}${amount === 1 ? "" : ", the first of them"} until ${dayAndTime(new Date(until).getTime())}`;
}
