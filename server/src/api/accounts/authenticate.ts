import type { IncomingHttpHeaders } from "node:http";
import type { ApiDeps } from "#api/deps.ts";
import { ApiError } from "#api/http/api-error.ts";
import type { Principal } from "#api/http/handler.ts";
import { hashSecret } from "./secrets.ts";
import { clearedCookies, findSessionCookie } from "./session-cookie.ts";

/** What a request brought along to be recognised by. A token that was sent on purpose beats a cookie that came along. */
export type Credential =
  | { readonly kind: "none" }
  | { readonly kind: "cookie"; readonly secret: string }
  | { readonly kind: "token"; readonly secret: string };

export function credentialOf(headers: IncomingHttpHeaders, secure: boolean): Credential {
  const { authorization } = headers;
  if (authorization !== undefined) {
    const secret = /^Bearer ([A-Za-z0-9_-]{20,200})$/i.exec(authorization)?.[1];
    // Something was sent and it is not a token: falling back to a cookie would make somebody else of the caller.
    if (secret === undefined) throw new ApiError("UNAUTHENTICATED", undefined, { "www-authenticate": "Bearer" });
    return { kind: "token", secret };
  }
  const found = findSessionCookie(headers.cookie, secure);
  if (found.kind === "ambiguous")
    throw new ApiError("DUPLICATE_COOKIE", undefined, {
      "clear-site-data": '"cookies"',
      "set-cookie": clearedCookies(secure).join("\n"),
    });
  return found.kind === "token" ? { kind: "cookie", secret: found.token } : { kind: "none" };
}

/** Null unless session or token, and the user behind it, are alive at this moment by the database's clock. */
export async function authenticate(
  deps: Pick<ApiDeps, "sessions" | "tokens">,
  credential: Credential,
): Promise<Principal | null> {
  if (credential.kind === "none") return null;
  const hash = hashSecret(credential.secret);
  if (credential.kind === "cookie") {
    const session = await deps.sessions.find(hash);
    if (session === null) return null;
    const { account, sessionId, expiresAt } = session;
    return { account, via: "cookie", credentialId: sessionId, expiresAt };
  }
  const token = await deps.tokens.find(hash);
  return token === null ? null : { account: token.account, via: "token", credentialId: token.tokenId, expiresAt: null };
}
