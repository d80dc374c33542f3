import { supervise } from "#supervise/supervise.ts";
import { type Given, isGiven } from "./command.ts";

/** Ends with the process. */
export async function start(given: Given): Promise<number> {
  await supervise(isGiven(given, "print-config") ? ["--print-config"] : []);
  return 0;
}
