import { start, stop } from "./container.ts";
import { type Acts, requireNoContainer } from "./context.ts";
import { archive, archiveEmpty, provision, restore } from "./home.ts";
import { prepare } from "./setup.ts";

/** One act per operation. What an act makes becomes true only by the commit that follows it. */
export const ACTS: Acts = {
  PROVISIONING: provision,
  CREATE_EMPTY_ARCHIVE: archiveEmpty,
  RESTORING: restore,
  PREPARING: prepare,
  STARTING: start,
  STOPPING: stop,
  ARCHIVING: archive,
  DISCARDING: () => Promise.resolve({ kind: "trash" }),
  DELETING: async (context) => {
    await requireNoContainer(context);
    return { kind: "end" };
  },
};
