import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiDeps } from "#api/deps.ts";
import { ApiError, errorBody } from "./api-error.ts";

/** What the framework itself refuses, in the words of the catalogue. */
function frameworkError(code: string, status: number): ApiError | null {
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new ApiError("PAYLOAD_TOO_LARGE", { limit: 262_144 });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new ApiError("UNSUPPORTED_MEDIA_TYPE");
    case "FST_ERR_BAD_URL":
      return new ApiError("BAD_REQUEST", { problem: "the address is not well-formed" });
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new ApiError("BAD_REQUEST", { problem: "the body is not as long as announced" });
    case "FST_ERR_CTP_INVALID_JSON_BODY":
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
      return new ApiError("BAD_REQUEST", { problem: "the body is not JSON" });
    default:
      return status >= 400 && status < 500 ? new ApiError("BAD_REQUEST", { problem: "it is not well-formed" }) : null;
  }
}

function toApiError(deps: Pick<ApiDeps, "isDatabaseDown">, error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (error instanceof SyntaxError) return new ApiError("BAD_REQUEST", { problem: "the body is not JSON" });
  const known = typeof code === "string" && code.startsWith("FST_");
  const status = typeof statusCode === "number" ? statusCode : 500;
  const framework = known || status < 500 ? frameworkError(String(code), status) : null;
  if (framework !== null) return framework;
  if (deps.isDatabaseDown(error)) return new ApiError("DATABASE_UNAVAILABLE", undefined, { "retry-after": "2" });
  return null;
}

/** The one place where errors become answers. What nobody foresaw is logged in full and told to nobody. */
export function answerError(deps: ApiDeps, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toApiError(deps, error);
  if (known === null) {
    const stack = error instanceof Error ? error.stack : String(error);
    deps.logger.error(
      { requestId: request.id, route: request.routeOptions?.url ?? null, error: stack },
      "request failed",
    );
  }
  const answer = known ?? new ApiError("INTERNAL");
  if (deps.settings.behindOwnProxy) {
    // Our proxy reads no answer from a connection that ends under its hands; what is still to come is read and dropped.
    reply.removeHeader("connection");
    request.raw.resume();
  }
  for (const [name, value] of Object.entries(answer.headers))
    reply.header(name, name === "set-cookie" ? value.split("\n") : value);
  reply.header("x-request-id", request.id).header("content-type", "application/json; charset=utf-8");
  return reply.code(answer.status).send(errorBody(answer, request.id));
}
