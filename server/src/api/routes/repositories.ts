import { catalogue, lookUp, say, utcVoice } from "@codehub/contract/words";
import type { ApiDeps } from "#api/deps.ts";
import { ApiError } from "#api/http/api-error.ts";
import type { HandlersOf } from "#api/http/handler.ts";
import { parseRepository } from "#core/repository/address.ts";
import type { RepositorySource } from "#core/rows/source.ts";

export const repositoryHandlers = (deps: ApiDeps): HandlersOf<"inspectRepository"> => ({
  inspectRepository: async ({ body, principal }) => {
    const { cloneUrl, host, key, ref, folder } = readRepository(deps, body.address);
    const open = await deps.views.ofSource(principal.account.id, key);
    return { clone_url: cloneUrl, host, key, ref, folder, already_open: [...open] };
  },
});

/** The repository that an address stands for; an address that git must not be given is a mistake of the caller. */
export function readRepository(
  { settings, clock }: Pick<ApiDeps, "settings" | "clock">,
  address: string,
): RepositorySource {
  const parsed = parseRepository(address, { httpHosts: settings.gitHttpHosts });
  if (parsed.ok) return parsed.source;
  const { code, fields = {} } = parsed.refusal;
  const problem = say(lookUp(catalogue.repository, code), fields, utcVoice(clock.nowMs())) ?? code;
  throw new ApiError("REPOSITORY_REFUSED", { problem, reason: code, fields });
}
