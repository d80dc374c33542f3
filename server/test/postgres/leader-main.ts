import { setTimeout as delay } from "node:timers/promises";
import { createPool } from "#adapters/postgres/connection.ts";
import { PostgresElection } from "#adapters/postgres/election.ts";
import { COORDINATOR_ROLE } from "#adapters/postgres/roles.ts";
import { processWitness } from "#adapters/system/process-witness.ts";
import { judgeFormerLeader } from "#core/rules/succession.ts";
import { recordingLogger } from "./recording-logger.ts";

/** A leader that only leads: it takes the lock, says what it thinks of the leader before, and pings until it is killed. */
const url = process.argv[2] ?? "";
const election = new PostgresElection({
  url,
  pool: createPool({ url, role: COORDINATOR_ROLE, max: 1, applicationName: "leader" }),
  holder: String(process.pid),
  identity: processWitness.self,
  logger: recordingLogger(),
});
const never = new AbortController().signal;
let term = await election.campaign(never);
while (term === null) {
  await delay(50);
  term = await election.campaign(never);
}
const { former } = term;
const seen = former.holder === null ? ({ kind: "hidden" } as const) : await processWitness.look(former.holder.pid);
const judged = judgeFormerLeader(former, await processWitness.self(), seen);
await term.begin();
console.log(JSON.stringify(judged));
for (;;) {
  await term.ping();
  await delay(500);
}
