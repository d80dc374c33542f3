import pg from "pg";
import type { Sample } from "./messages.ts";

/** The peer: nothing but a connection that listens. No snapshot, no reading, no user, no stream. */
const samples: Sample[] = [];
const client = new pg.Client({ connectionString: process.argv[2] });
await client.connect();
client.on("notification", ({ payload }) => {
  const at = process.hrtime.bigint();
  const { id, version } = JSON.parse(payload ?? "{}") as { id: string; version: number };
  samples.push({ key: `${id} ${version}`, at: String(at) });
});
await client.query("LISTEN ws_sse");
process.send?.({ kind: "ready" });
process.on("message", () => process.send?.({ kind: "samples", samples }));
