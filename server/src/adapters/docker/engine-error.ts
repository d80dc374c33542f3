import { OperationFailure } from "#ports/failure.ts";

/** The engine answered, and the answer was no. */
export class EngineError extends OperationFailure {
  readonly status: number;

  constructor(status: number, message: string) {
    const full = /no space left on device/i.test(message);
    super(full ? "DiskFull" : "ActionFailed", `The Docker engine says: ${message.trim()}`);
    this.status = status;
  }
}

/** No answer, or half of one: whether anything was done is not known, and the cause may go away by itself. */
export function unreachable(engine: string, cause: Error): OperationFailure {
  const why =
    cause.name === "AbortError" || cause.name === "TimeoutError" ? "it does not answer in time" : cause.message;
  return new OperationFailure("Unreachable", `The Docker engine at ${engine} cannot be used: ${why}`, { cause });
}
