import { type Fields, failureFields } from "#core/rows/meaning.ts";
import type { ErrorReason, Failure } from "#core/rules/errors.ts";

/** How a driver or an adapter says why something did not work, in the words the core judges by. */
export class OperationFailure extends Error implements Failure {
  override readonly name = "OperationFailure";
  readonly reason: ErrorReason;
  readonly fields?: Fields;

  constructor(reason: ErrorReason, message: string, options?: ErrorOptions & { readonly fields?: Fields }) {
    super(message, options);
    this.reason = reason;
    if (options?.fields !== undefined) this.fields = options.fields;
  }
}

/** The same as a code with what it speaks of; `message` is then what somebody else said about it, if anybody did. */
export const failureOf = (reason: ErrorReason, failure: string, fields?: Fields, message = ""): OperationFailure =>
  new OperationFailure(reason, message, { fields: failureFields(failure, fields) });
