import { duration, formOf, type WorkspaceError } from "@codehub/contract";

/** What was tried before it was given up: "RetryExceeded after 3 attempts of STARTING, the last one took 12 s". */
export function triedWords({ reason, operation, attempts, elapsed_seconds: elapsed }: WorkspaceError): string {
  if (attempts === 0) return reason;
  const what = operation === null || operation === "NONE" ? "" : ` of ${operation}`;
  const times = `${formOf(attempts, { one: "one attempt", other: `${attempts} attempts` })}${what}`;
  if (elapsed === null) return `${reason} after ${times}`;
  return `${reason} after ${times}, ${formOf(attempts, { one: "which", other: "the last one" })} took ${duration(elapsed)}`;
}
