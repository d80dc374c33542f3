import type { ErrorReason, Failure } from "#core/rules/errors.ts";

/** How a driver or an adapter says why something did not work, in the words the core judges by. */
export class OperationFailure extends Error implements Failure {
  override readonly name = "OperationFailure";
  readonly reason: ErrorReason;

  constructor(reason: ErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
