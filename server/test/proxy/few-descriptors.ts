import { closeSync, openSync } from "node:fs";
import { openFileLimit } from "#adapters/system/open-files.ts";
import { clientsFor } from "#proxy/door/connection-limit.ts";
import { startFront } from "./harness.ts";

/** A front in a process with few descriptors, which says for each request how many files it could still open. */
const WANTED = 100;

const front = await startFront({
  maxConnections: clientsFor(openFileLimit()),
  dashboard: (_req, res) => {
    const files: number[] = [];
    try {
      while (files.length < WANTED) files.push(openSync("/dev/null", "r"));
    } catch {
      // What was opened so far is the answer.
    }
    for (const file of files) closeSync(file);
    res.end(String(files.length));
  },
});
process.stdout.write(`${front.port}\n`);
