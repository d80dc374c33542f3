import { describe } from "vitest";
import { usual } from "./harness.ts";

/** Everything about hosts once more for workspaces that are served under their id. */
usual.form = "id";

for (const about of ["handover", "door", "ports", "websocket", "corpus", "long-heads", "ahead", "pill"])
  describe(about, async () => {
    await import(`./${about}.test.ts`);
  });
