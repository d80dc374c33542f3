import { existsSync } from "node:fs";
import { type DatabasePlace, type Examination, examine, examinedConfiguration } from "#compose/doctor.ts";
import { spoken } from "#compose/spoken-findings.ts";
import { type Config, ConfigError } from "#config/config.ts";
import { isBroken } from "#core/doctor/finding.ts";
import { failedDatabase } from "#core/doctor/judge-database.ts";
import { embeddedDirectory } from "#supervise/embedded-database.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import { type Given, isGiven } from "./command.ts";
import { configuration } from "./environment.ts";
import { openOperatorDatabase } from "./operator-database.ts";

/** Looks at everything, and says for each what it found and what to do. */
export async function doctor(given: Given): Promise<number> {
  const examination = await examined();
  const findings = spoken(examination.findings);
  const healthy = !isBroken(examination.findings);
  if (isGiven(given, "json")) {
    const { at, machine } = examination;
    console.log(JSON.stringify({ healthy, at: new Date(at).toISOString(), machine, findings }, null, 2));
  } else {
    for (const { level, check, found, cure } of findings) {
      console.log(`${MARKS[level]} ${check.padEnd(14)}${found}`);
      if (cure !== null) console.log(`${" ".repeat(24)}-> ${cure}`);
    }
    console.log(healthy ? "\nNothing is broken." : "\nSomething is broken: see above.");
  }
  return healthy ? EXIT.inOrder : EXIT.failed;
}

const MARKS = { ok: "ok     ", warning: "warning", broken: "BROKEN ", unknown: "?      " } as const;

async function examined(): Promise<Examination> {
  let config: Config;
  try {
    config = configuration();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return examinedConfiguration(error.problems);
  }
  return await withDatabase(config, (place) => examine(config, place));
}

/** An embedded database that does not run is started to be looked at. */
async function withDatabase<R>(config: Config, look: (place: DatabasePlace) => Promise<R>): Promise<R> {
  const embedded = config.DATABASE_URL === null;
  const directory = embeddedDirectory(config);
  if (embedded && !existsSync(directory)) return await look({ kind: "none_yet", directory });
  let database: Awaited<ReturnType<typeof openOperatorDatabase>>;
  try {
    database = await openOperatorDatabase(config);
  } catch (error) {
    return await look(failedDatabase(error, embedded));
  }
  await using open = database;
  return await look({ kind: "url", url: open.url, embedded });
}
