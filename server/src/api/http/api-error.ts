import type { ErrorBody } from "@codehub/contract";
import { type ErrorCode, errorCatalogue, errorMessage } from "@codehub/contract/words";

/** The one way a request fails on purpose: a code of the catalogue, with what fills its message. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    details?: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(errorMessage(code, details));
    this.code = code;
    this.details = details;
    this.headers = headers;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

export const errorBody = (error: ApiError, requestId: string): ErrorBody => ({
  error: {
    code: error.code,
    message: error.message,
    action: errorCatalogue[error.code].action,
    request_id: requestId,
    ...(error.details === undefined ? {} : { details: error.details }),
  },
});

/** A field that is wrong in a way no schema can say. */
export const invalidField = (field: string, problem: string): ApiError =>
  new ApiError("VALIDATION_FAILED", { problem: `${field} ${problem}`, fields: [{ field, problem }] });
