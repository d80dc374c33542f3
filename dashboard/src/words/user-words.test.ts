import { expect, test } from "vitest";
import { userUse } from "./user-words.ts";

const nothing = { workspaces: 0, running: 0, in_trash: 0, home_bytes: 0, archive_bytes: 0, max_running: null };

test.each([
  [{}, "no workspaces"],
  [{ workspaces: 1 }, "1 workspace"],
  [{ workspaces: 1, max_running: 5 }, "1 workspace · 0 of 5 running"],
  [
    { workspaces: 3, running: 2, in_trash: 1, home_bytes: 2e9, archive_bytes: 5e6 },
    "3 workspaces · 2 running · 1 in the trash · 2 GB on disk · 5 MB of archives",
  ],
])("%o: %s", (use, words) => expect(userUse({ ...nothing, ...use })).toBe(words));
