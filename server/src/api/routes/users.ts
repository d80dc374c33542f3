import { createAccount } from "#api/accounts/accounts.ts";
import { presentListedSession, presentOverview, presentToken, presentUser } from "#api/accounts/present-account.ts";
import { newPassword } from "#api/accounts/secrets.ts";
import type { ApiDeps } from "#api/deps.ts";
import { ApiError } from "#api/http/api-error.ts";
import { auditActor, type HandlersOf } from "#api/http/handler.ts";
import type { Removal } from "#ports/accounts.ts";

type UserRoutes =
  | "listUsers"
  | "createUser"
  | "updateUser"
  | "deleteUser"
  | "giveLeft"
  | "resetUserPassword"
  | "getUserAccess"
  | "endUserAccess"
  | "endUserSession"
  | "revokeUserToken";

export const userHandlers = (deps: ApiDeps): HandlersOf<UserRoutes> => ({
  listUsers: async () => {
    const items = (await deps.accounts.list()).map(presentOverview);
    return { items, total: items.length };
  },

  createUser: async ({ body, principal, request }) => {
    const wanted = { username: body.username, password: body.password, role: body.role ?? "user" };
    const { account, generated } = await createAccount(deps, wanted, auditActor(principal, request));
    return { user: presentUser(account), password: generated };
  },

  updateUser: async ({ params, body, principal, request }) => {
    const { disabled, role, max_running: maxRunning } = body;
    const change = {
      ...(disabled === undefined ? {} : { disabled }),
      ...(role === undefined ? {} : { role }),
      ...(maxRunning === undefined ? {} : { maxRunning }),
    };
    const changed = await deps.accounts.update(params.id, change, auditActor(principal, request));
    if (changed === null) throw new ApiError("NOT_FOUND", { what: "user" });
    if (changed === "last_admin") throw new ApiError("LAST_ADMIN");
    if (changed.disabledAt !== null) {
      deps.hub.endUser(changed.id);
      await deps.requests.from(request.ip).standbyAll(changed.id, principal.account.id);
    }
    return presentUser(changed);
  },

  deleteUser: async ({ params, query, principal, request }) => {
    const { id } = params;
    if (id === principal.account.id) throw new ApiError("OWN_ACCOUNT");
    const removal = { confirmation: query.confirm, giveTo: query.give_to ?? null };
    const given = givenBy(await deps.accounts.remove(id, removal, auditActor(principal, request)));
    deps.hub.endUser(id);
    // What was created meanwhile goes the same way; should this process end here, housekeeping goes on with it.
    await deps.requests.from(request.ip).trashAll(id, principal.account.id);
    return { given };
  },

  giveLeft: async ({ params, body, principal, request }) => ({
    given: givenBy(await deps.accounts.giveLeft(params.id, body.user_id, auditActor(principal, request))),
  }),

  resetUserPassword: async ({ params, body, principal, request }) => {
    const generated = body.password === undefined ? newPassword() : null;
    const passwordHash = await deps.hasher.hash(body.password ?? generated ?? "");
    const change = { passwordHash, replaces: null, mustChangePassword: true, endTokens: true };
    const account = await deps.accounts.setPassword(params.id, change, auditActor(principal, request));
    if (account === null) throw new ApiError("NOT_FOUND", { what: "user" });
    deps.hub.endUser(account.id);
    return { user: presentUser(account), password: generated };
  },

  getUserAccess: async ({ params }) => {
    if ((await deps.accounts.find(params.id)) === null) throw new ApiError("NOT_FOUND", { what: "user" });
    const [sessions, tokens] = await Promise.all([deps.sessions.list(params.id), deps.tokens.list(params.id)]);
    const now = deps.clock.nowMs();
    const alive = tokens.filter(({ expiresAt }) => expiresAt === null || expiresAt > now).toReversed();
    return { sessions: sessions.map(presentListedSession), tokens: alive.map(presentToken) };
  },

  endUserAccess: async ({ params, principal, request }) => {
    const known = await deps.accounts.endAccess(params.id, auditActor(principal, request));
    if (!known) throw new ApiError("NOT_FOUND", { what: "user" });
    deps.hub.endUser(params.id);
    return undefined;
  },

  endUserSession: async ({ params, principal, request }) => {
    const ended = await deps.sessions.endOf(params.id, params.session_id, auditActor(principal, request));
    if (!ended) throw new ApiError("NOT_FOUND", { what: "session" });
    deps.hub.endCredential(params.session_id);
    return undefined;
  },

  revokeUserToken: async ({ params, principal, request }) => {
    const revoked = await deps.tokens.remove(params.id, params.token_id, auditActor(principal, request));
    if (!revoked) throw new ApiError("NOT_FOUND", { what: "token" });
    deps.hub.endCredential(params.token_id);
    return undefined;
  },
});

function givenBy(removal: Removal): number {
  if (removal.done) return removal.given;
  switch (removal.why) {
    case "not_found":
      throw new ApiError("NOT_FOUND", { what: "user" });
    case "mismatch":
      throw new ApiError("USER_CONFIRMATION_MISMATCH");
    case "last_admin":
      throw new ApiError("LAST_ADMIN");
    case "no_receiver":
      throw new ApiError("NO_RECEIVER");
    case "not_at_rest":
      throw new ApiError("WORKSPACES_NOT_AT_REST", { names: removal.names.join(", "), workspaces: removal.names });
  }
}
