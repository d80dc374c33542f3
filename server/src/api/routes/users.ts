import { createAccount } from "#api/accounts/accounts.ts";
import { presentUser } from "#api/accounts/present-account.ts";
import { newPassword } from "#api/accounts/secrets.ts";
import type { ApiDeps } from "#api/deps.ts";
import { ApiError } from "#api/http/api-error.ts";
import { auditActor, type HandlersOf } from "#api/http/handler.ts";

type UserRoutes = "listUsers" | "createUser" | "updateUser" | "resetUserPassword";

export const userHandlers = (deps: ApiDeps): HandlersOf<UserRoutes> => ({
  listUsers: async () => {
    const items = (await deps.accounts.list()).map(presentUser);
    return { items, total: items.length };
  },

  createUser: async ({ body, principal, request }) => {
    const wanted = { username: body.username, password: body.password, role: body.role ?? "user" };
    const { account, generated } = await createAccount(deps, wanted, auditActor(principal, request));
    return { user: presentUser(account), password: generated };
  },

  updateUser: async ({ params, body, principal, request }) => {
    const changed = await deps.accounts.update(params.id, body, auditActor(principal, request));
    if (changed === null) throw new ApiError("NOT_FOUND", { what: "user" });
    if (changed === "last_admin") throw new ApiError("LAST_ADMIN");
    if (changed.disabledAt !== null) {
      deps.hub.endUser(changed.id);
      await deps.requests.from(request.ip).standbyAll(changed.id, principal.account.id);
    }
    return presentUser(changed);
  },

  resetUserPassword: async ({ params, body, principal, request }) => {
    const generated = body.password === undefined ? newPassword() : null;
    const passwordHash = await deps.hasher.hash(body.password ?? generated ?? "");
    const change = { passwordHash, replaces: null, mustChangePassword: true, endTokens: true };
    const account = await deps.accounts.setPassword(params.id, change, auditActor(principal, request));
    if (account === null) throw new ApiError("NOT_FOUND", { what: "user" });
    deps.hub.endUser(account.id);
    return { user: presentUser(account), password: generated };
  },
});
