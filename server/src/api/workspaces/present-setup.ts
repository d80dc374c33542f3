import type { Setup, WorkspaceRepository } from "@codehub/contract";
import { setupText, utcVoice } from "@codehub/contract/words";
import { isoTime } from "#core/rows/iso-time.ts";
import type { Reason } from "#core/rows/meaning.ts";
import type { RepositorySource, SourceRef } from "#core/rows/source.ts";
import type { Ms, Workspace } from "#core/rows/workspace.ts";
import { setupDue } from "#core/rules/setup.ts";

export const presentRepository = (source: RepositorySource | null): WorkspaceRepository | null =>
  source === null
    ? null
    : {
        ...{ address: source.address, clone_url: source.cloneUrl, host: source.host, key: source.key },
        ref: refText(source.ref),
        folder: source.folder,
      };

function refText(ref: SourceRef | null): string | null {
  switch (ref?.kind) {
    case undefined:
      return null;
    case "branch_or_tag":
      return ref.name;
    case "commit":
      return ref.id;
    case "path":
      return ref.path;
    case "pull":
      return ref.branch;
  }
}

type SetupColumns = Pick<Workspace, "source" | "setupWanted" | "setupSkipped" | "homeCtx" | "operation">;

/** What became of the repository; null where there is none. */
export function presentSetup(row: SetupColumns, now: Ms): Setup | null {
  if (row.source === null) return null;
  const { setup } = row.homeCtx;
  const under = row.operation === "PREPARING" ? "preparing" : setupDue(row) ? "waiting" : null;
  if (under !== null || setup === null) {
    const nothing = { folder: null, commit: null, branch: null, failure: null, notices: [] };
    return { state: under ?? "skipped", ...nothing, finished_at: null, took_seconds: null };
  }
  const told = ({ code, fields = {} }: Reason) => ({ code, fields, message: setupText(code, fields, utcVoice(now)) });
  const { failure } = setup;
  return {
    ...{ state: setup.state, folder: setup.folder, commit: setup.commit, branch: setup.branch },
    failure: failure === null ? null : { ...told(failure), step: failure.step, detail: failure.message },
    notices: setup.notices.map(told),
    finished_at: isoTime(setup.at),
    took_seconds: setup.tookMs / 1_000,
  };
}
