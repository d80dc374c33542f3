import type { AccountStore, SessionStore, ThrottleStore } from "#ports/accounts.ts";
import type { Clock } from "#ports/clock.ts";
import type { Logger } from "#ports/logger.ts";
import type { ShareStore } from "#ports/shares.ts";
import type { UserKeyStore } from "#ports/user-keys.ts";

import type { WorkspaceRequests } from "#requests/workspace-requests.ts";

const EVERY_MS = 3_600_000;
const KEEP_COUNTERS_MS = 24 * 3_600_000;

/** Removes what expired once an hour, and ends what was begun and not ended. Any number of processes may do it. */
export async function runHousekeeping(
  deps: {
    readonly sessions: Pick<SessionStore, "sweep">;
    readonly throttle: Pick<ThrottleStore, "sweep">;
    readonly userKeys: Pick<UserKeyStore, "sweep">;
    readonly accounts: Pick<AccountStore, "deletedOwners">;
    readonly requests: Pick<WorkspaceRequests, "trashAll">;
    readonly shares: Pick<ShareStore, "sweep">;
    readonly clock: Clock;
    readonly logger: Logger;
  },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await deps.sessions.sweep();
      await deps.throttle.sweep(KEEP_COUNTERS_MS);
      await deps.userKeys.sweep();
      for (const id of await deps.accounts.deletedOwners()) await deps.requests.trashAll(id, "system");
      await deps.shares.sweep();
    } catch (error) {
      deps.logger.warn({ error: String(error) }, "expired sessions could not be removed");
    }
    await deps.clock.sleep(EVERY_MS, signal);
  }
}
