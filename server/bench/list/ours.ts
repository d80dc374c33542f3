import { startApi } from "../../test/api/harness.ts";

/** The API over the bench's database, in a process of its own. Says where it listens. */
const { url } = await startApi({ databaseUrl: process.argv[2] ?? "" });
process.send?.(url);
// A profile (NODE_OPTIONS=--cpu-prof) is written by a process that ends by itself.
process.once("SIGTERM", () => process.exit(0));
