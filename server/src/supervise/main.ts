import { exitCodeOf, startFailure } from "./exit-code.ts";
import { supervise } from "./supervise.ts";

/** What `codehub start` runs, as a program of its own. */
supervise(process.argv.slice(2)).catch((error: unknown) => {
  console.error(startFailure(error));
  process.exit(exitCodeOf(error));
});
