// A program that uses the embedded PostgreSQL, to be killed by tests: it starts the server in the directory it is given,
// prints one line of JSON, and stops it in order on SIGTERM. A failed start is printed the same way.
import { EmbeddedPostgres } from "#adapters/postgres/embedded/embedded-postgres.ts";
import { EmbeddedPostgresError } from "#adapters/postgres/embedded/trouble.ts";

const [dir = "", fallbackDir = ""] = process.argv.slice(2);
const listenersBefore = process.listenerCount("SIGTERM");
try {
  const server = await EmbeddedPostgres.start({ dir, fallbackDir, settings: { fsync: "off" } });
  const { url, pid, adopted, rootDir } = server;
  const tookOverSignals = process.listenerCount("SIGTERM") !== listenersBefore;
  process.once("SIGTERM", () => {
    void server.stop().then(() => process.exit(0));
  });
  // Last: whoever reads it may end us at once.
  process.stdout.write(`${JSON.stringify({ url, pid, adopted, rootDir, tookOverSignals })}\n`);
} catch (error) {
  const kind = error instanceof EmbeddedPostgresError ? error.kind : "unexpected";
  process.stdout.write(`${JSON.stringify({ kind, message: String(error) })}\n`);
}
