import pg from "pg";

/** Shutting down, starting up, out of connections, not there (yet, while it is restored), and everything about the connection itself (class 08). */
const SQLSTATES = /^(57P0[1-5]|53300|3D000|08...|25P03)$/;
const NETWORK = new Set(["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENOTFOUND"]);

/** Whether an error says that the database cannot be reached just now, as opposed to a mistake of ours. */
export function isDatabaseDown(error: unknown): boolean {
  if (error instanceof AggregateError) {
    return error.errors.some(isDatabaseDown);
  }
  if (error instanceof pg.DatabaseError) {
    return SQLSTATES.test(error.code ?? "");
  }
  if (!(error instanceof Error)) {
    return false;
  }
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && NETWORK.has(code)) {
    return true;
  }
  return /connection terminated|timeout exceeded when trying to connect|query read timeout|not queryable/i.test(
    error.message,
  );
}
