import type { Credential, KeyList, KeyTest, PutVariable, TestKey, Variable } from "@codehub/contract";
import { keyTestText, utcVoice } from "@codehub/contract/words";
import type { ApiDeps } from "#api/deps.ts";
import { ApiError, invalidField } from "#api/http/api-error.ts";
import { auditActor, type HandlersOf } from "#api/http/handler.ts";
import { MOST_CHECKS } from "#core/checks/may-check.ts";
import { WORKS } from "#core/checks/outcome.ts";
import { isoTime } from "#core/rows/iso-time.ts";
import { isReserved, MOST_CREDENTIALS, MOST_VARIABLES, VARIABLE_BYTES, VARIABLES_BYTES } from "#core/secrets/kept.ts";
import type { CheckRecord, NewCheck } from "#ports/checks.ts";
import type {
  CredentialRecord,
  NewVariable,
  NotKept,
  SshKeyRecord,
  UserSettings,
  VariableRecord,
} from "#ports/user-keys.ts";
import { readRepository } from "./repositories.ts";

type KeyRoutes =
  | "getKeys"
  | "putKeySettings"
  | "makeSshKey"
  | "deleteSshKey"
  | "putCredential"
  | "deleteCredential"
  | "putVariable"
  | "deleteVariable"
  | "testKey"
  | "getKeyTest"
  | "getUserKeys"
  | "listWorkspaceVariables"
  | "putWorkspaceVariable"
  | "deleteWorkspaceVariable";

export function keyHandlers(deps: ApiDeps): HandlersOf<KeyRoutes> {
  const { userKeys } = deps;

  const keysOf = async (userId: string): Promise<KeyList> => {
    const sshKey = await userKeys.sshKey(userId);
    return {
      settings: presentSettings(await userKeys.settings(userId)),
      ssh_key: sshKey === null ? null : presentSshKey(sshKey),
      credentials: (await userKeys.credentials(userId)).map(presentCredential),
      variables: (await userKeys.variables({ userId, workspaceId: null })).map(presentVariable),
    };
  };

  return {
    getKeys: ({ principal }) => keysOf(principal.account.id),

    putKeySettings: async ({ body, principal, request }) => {
      if (body.dotfiles_command !== null && body.dotfiles_address === null)
        throw invalidField("dotfiles_command", "needs a repository that it is run in");
      if (body.dotfiles_address !== null) readRepository(deps, body.dotfiles_address);
      const settings = {
        gitName: body.git_name,
        gitEmail: body.git_email,
        dotfilesAddress: body.dotfiles_address?.trim() ?? null,
        dotfilesCommand: body.dotfiles_command,
      };
      await userKeys.saveSettings(principal.account.id, settings, auditActor(principal, request));
      return presentSettings(settings);
    },

    makeSshKey: async ({ principal, request }) => {
      const { id, username } = principal.account;
      const pair = deps.newSshKey(`${username}@${deps.settings.baseUrl.hostname}`);
      return presentSshKey(kept(await userKeys.saveSshKey(id, pair, auditActor(principal, request))));
    },

    deleteSshKey: async ({ principal, request }) => {
      const gone = await userKeys.removeSshKey(principal.account.id, auditActor(principal, request));
      if (!gone) throw new ApiError("NOT_FOUND", { what: "SSH key" });
      return undefined;
    },

    putCredential: async ({ body, principal, request }) => {
      // The usual port is not part of an address as git asks for it.
      const credential = { ...body, host: body.host.replace(/:443$/, "") };
      const answer = await userKeys.saveCredential(principal.account.id, credential, auditActor(principal, request));
      return presentCredential(kept(answer, MOST_CREDENTIALS));
    },

    deleteCredential: async ({ params, principal, request }) => {
      const gone = await userKeys.removeCredential(principal.account.id, params.id, auditActor(principal, request));
      if (!gone) throw new ApiError("NOT_FOUND", { what: "credential" });
      return undefined;
    },

    putVariable: async ({ body, principal, request }) => {
      const scope = { userId: principal.account.id, workspaceId: null };
      const answer = await userKeys.saveVariable(scope, variableOf(deps, body), auditActor(principal, request));
      return presentVariable(kept(answer, MOST_VARIABLES));
    },

    deleteVariable: async ({ params, principal, request }) => {
      const scope = { userId: principal.account.id, workspaceId: null };
      const gone = await userKeys.removeVariable(scope, params.id, auditActor(principal, request));
      if (!gone) throw new ApiError("NOT_FOUND", { what: "variable" });
      return undefined;
    },

    testKey: async ({ body, principal, request }) => {
      const userId = principal.account.id;
      const asked = await checkOf(deps, userId, body);
      const answer = await deps.checks.ask({ id: deps.ids.uuid(), userId, ...asked }, auditActor(principal, request));
      if (answer === "disabled") throw new ApiError("UNAUTHENTICATED");
      if (!("limit" in answer)) return presentTest(answer, deps.clock.nowMs());
      if (answer.limit === "under_way") throw new ApiError("KEY_TEST_UNDER_WAY");
      const after = { "retry-after": String(answer.retryAfterSeconds) };
      throw new ApiError("TOO_MANY_KEY_TESTS", { limit: MOST_CHECKS }, after);
    },

    getKeyTest: async ({ params, principal }) => {
      const found = await deps.checks.find(principal.account.id, params.id);
      if (found === null) throw new ApiError("NOT_FOUND", { what: "test" });
      return presentTest(found, deps.clock.nowMs());
    },

    getUserKeys: async ({ params }) => {
      if ((await deps.accounts.find(params.id)) === null) throw new ApiError("NOT_FOUND", { what: "user" });
      return await keysOf(params.id);
    },

    listWorkspaceVariables: async ({ row }) => ({
      items: (await userKeys.variables({ userId: row.ownerId, workspaceId: row.id })).map(presentVariable),
    }),

    putWorkspaceVariable: async ({ body, row, principal, request }) => {
      if (row.deletedAt !== null) throw new ApiError("WORKSPACE_DELETED");
      const scope = { userId: row.ownerId, workspaceId: row.id };
      const answer = await userKeys.saveVariable(scope, variableOf(deps, body), auditActor(principal, request));
      return presentVariable(kept(answer, MOST_VARIABLES));
    },

    deleteWorkspaceVariable: async ({ params, row, principal, request }) => {
      const scope = { userId: row.ownerId, workspaceId: row.id };
      const gone = await userKeys.removeVariable(scope, params.variable_id, auditActor(principal, request));
      if (!gone) throw new ApiError("NOT_FOUND", { what: "variable" });
      return undefined;
    },
  };
}

/** What no schema can say of a variable. Nothing that is said of a value holds any of it. */
function variableOf(deps: ApiDeps, { name, value, is_secret: isSecret, repositories }: PutVariable): NewVariable {
  if (isReserved(name)) throw invalidField("name", "is one that workspaces themselves need");
  if (Buffer.byteLength(value) > VARIABLE_BYTES) throw invalidField("value", "must be at most 48 KB");
  const bound = (repositories ?? null)?.map((pasted) => readRepository(deps, pasted).key);
  return { name, value, isSecret, repositories: bound === undefined ? null : [...new Set(bound)] };
}

/** What is to be tried on what. The address is read and not looked up: whoever runs the test does that, elsewhere. */
async function checkOf(
  deps: ApiDeps,
  userId: string,
  { credential_id: id, address }: TestKey,
): Promise<Pick<NewCheck, "kind" | "host" | "cloneUrl">> {
  const { protocol, host, cloneUrl } = readRepository(deps, address);
  if (id === null) {
    if ((await deps.userKeys.sshKey(userId)) === null) throw new ApiError("NOT_FOUND", { what: "SSH key" });
    if (protocol !== "ssh") throw invalidField("address", "must be an ssh address, as in git@example.com:team/project");
    return { kind: "ssh", host, cloneUrl };
  }
  const credential = (await deps.userKeys.credentials(userId)).find((one) => one.id === id);
  if (credential === undefined) throw new ApiError("NOT_FOUND", { what: "credential" });
  // Another host would never be given it, so what it says means nothing.
  if (protocol !== "https" || host !== credential.host)
    throw invalidField("address", `must begin with https://${credential.host}/`);
  return { kind: "https", host, cloneUrl };
}

/** What was kept, or why it was not. */
function kept<R extends object>(answer: R | NotKept, limit = 1): R {
  if (typeof answer !== "string") return answer;
  if (answer === "no_key") throw new ApiError("SECRETS_KEY_MISSING");
  if (answer === "disabled") throw new ApiError("UNAUTHENTICATED");
  throw answer === "too_many"
    ? new ApiError("KEPT_TOO_MANY", { limit })
    : new ApiError("KEPT_TOO_LARGE", { limit: VARIABLES_BYTES });
}

const presentSettings = (settings: UserSettings): KeyList["settings"] => ({
  git_name: settings.gitName,
  git_email: settings.gitEmail,
  dotfiles_address: settings.dotfilesAddress,
  dotfiles_command: settings.dotfilesCommand,
});

const TEST_STATES = { asked: "waiting", running: "running", done: "done" } as const;

function presentTest({ id, host, state, askedAt, finishedAt, outcome }: CheckRecord, now: number): KeyTest {
  const { code = "", fields = {} } = outcome ?? {};
  return {
    ...{ id, host, state: TEST_STATES[state], asked_at: isoTime(askedAt) },
    finished_at: finishedAt === null ? null : isoTime(finishedAt),
    result:
      outcome === null
        ? null
        : { works: code === WORKS, code, fields, message: keyTestText(code, fields, utcVoice(now)) },
  };
}

const presentSshKey = ({ publicKey, changedAt, canBeOpened }: SshKeyRecord) => ({
  public_key: publicKey,
  can_be_opened: canBeOpened,
  changed_at: isoTime(changedAt),
});

const presentCredential = ({ id, host, username, changedAt, canBeOpened }: CredentialRecord): Credential => ({
  id,
  host,
  username,
  can_be_opened: canBeOpened,
  changed_at: isoTime(changedAt),
});

const presentVariable = (variable: VariableRecord): Variable => ({
  id: variable.id,
  name: variable.name,
  is_secret: variable.isSecret,
  repositories: variable.repositories === null ? null : [...variable.repositories],
  size_bytes: variable.bytes,
  can_be_opened: variable.canBeOpened,
  changed_at: isoTime(variable.changedAt),
});
