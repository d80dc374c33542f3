import { checkPassword, MAX_TOKENS, openSession, SESSION_LIFETIME_MS } from "#api/accounts/accounts.ts";
import { type DeviceOwner, newDevice } from "#api/accounts/known-device.ts";
import { presentSession, presentToken } from "#api/accounts/present-account.ts";
import { newSecret } from "#api/accounts/secrets.ts";
import {
  clearedCookies,
  deviceCookie,
  findSessionCookie,
  originOf,
  sessionCookies,
} from "#api/accounts/session-cookie.ts";
import type { ApiDeps } from "#api/deps.ts";
import { ApiError, invalidField } from "#api/http/api-error.ts";
import { auditActor, type Call, type HandlersOf, type Principal } from "#api/http/handler.ts";

type AuthRoutes = "login" | "logout" | "changePassword" | "getSession" | "listTokens" | "createToken" | "deleteToken";

/** Tokens say what they are, so that a secret scanner finds a leaked one. */
const TOKEN_PREFIX = "codehub_";

export function authHandlers(deps: ApiDeps): HandlersOf<AuthRoutes> {
  const { settings, sessions, tokens, hub, clock } = deps;
  const secure = settings.baseUrl.protocol === "https:";

  /** Opens a session for somebody whose password was just checked, and answers with its cookie. */
  const signIn = async (call: Call<"login"> | Call<"changePassword">, owner: DeviceOwner) => {
    const { request, reply } = call;
    const brought = findSessionCookie(request.headers.cookie, secure);
    const { secret, record } = await openSession(deps, owner, {
      address: request.ip,
      userAgent: request.headers["user-agent"] ?? null,
      replaces: brought.kind === "token" ? brought.token : null,
    });
    const { cookie } = request.headers;
    reply.header("set-cookie", [
      ...sessionCookies(secret, SESSION_LIFETIME_MS / 1000, cookie, secure),
      deviceCookie(newDevice(owner), cookie, secure),
    ]);
    const principal: Principal = {
      account: record.account,
      via: "cookie",
      credentialId: record.sessionId,
      expiresAt: record.expiresAt,
    };
    return presentSession(principal, settings, clock.nowMs());
  };

  return {
    login: async (call) => {
      const origin = originOf(call.request, settings.baseUrl);
      return signIn(call, await checkPassword(deps, { ...call.body, ...origin }));
    },

    logout: async ({ body, principal, request, reply }) => {
      const actor = auditActor(principal, request);
      if (body.everywhere === true) {
        await sessions.endAll(principal.account.id, actor);
        hub.endUser(principal.account.id);
      } else if (principal.via === "cookie") {
        await sessions.end(principal.credentialId, actor);
        hub.endCredential(principal.credentialId);
      }
      reply.header("set-cookie", clearedCookies(secure));
      return undefined;
    },

    changePassword: async (call) => {
      const { body, principal, request } = call;
      const { id, username } = principal.account;
      const password = { username, password: body.current_password, ...originOf(request, settings.baseUrl) };
      // Whoever set the old one knows it: keeping it would be no change.
      if (body.new_password.normalize("NFKC") === body.current_password.normalize("NFKC"))
        throw invalidField("new_password", "must be another one than the current password");
      const checked = await checkPassword(deps, password);
      const passwordHash = await deps.hasher.hash(body.new_password);
      const change = {
        passwordHash,
        replaces: checked.passwordHash,
        mustChangePassword: false,
        endTokens: body.keep_tokens !== true,
      };
      const changed = await deps.accounts.setPassword(id, change, auditActor(principal, request));
      if (changed === null) throw new ApiError("INVALID_CREDENTIALS");
      hub.endUser(id);
      return signIn(call, { accountId: id, passwordHash });
    },

    getSession: async ({ principal }) => presentSession(principal, settings, clock.nowMs()),

    listTokens: async ({ principal }) => ({
      items: (await tokens.list(principal.account.id)).map(presentToken),
    }),

    createToken: async ({ body, principal, request }) => {
      const { secret, hash } = newSecret(TOKEN_PREFIX);
      const seconds = body.expires_in_seconds ?? null;
      const token = await tokens.create(
        {
          id: deps.ids.uuid(),
          userId: principal.account.id,
          sessionId: principal.credentialId,
          name: body.name,
          tokenHash: hash,
          lifetimeMs: seconds === null ? null : seconds * 1000,
        },
        MAX_TOKENS,
        auditActor(principal, request),
      );
      if (token === "session_ended") throw new ApiError("UNAUTHENTICATED");
      if (token === "too_many") throw new ApiError("TOO_MANY_TOKENS", { limit: MAX_TOKENS });
      return { token: presentToken(token), secret };
    },

    deleteToken: async ({ params, principal, request }) => {
      const removed = await tokens.remove(principal.account.id, params.id, auditActor(principal, request));
      if (!removed) throw new ApiError("NOT_FOUND", { what: "token" });
      hub.endCredential(params.id);
      return undefined;
    },
  };
}
