import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@codehub/contract";
import type pg from "pg";
import type { EventStream } from "../api/event-stream.ts";
import type { Program } from "../e2e/program.ts";
import { diesWithUs } from "../suites/dies-with-us.ts";
import { archivesHolding, filesHolding, heldBy, processesHolding } from "./search.ts";

/** A place in which nobody may find what a person keeps. */
export interface Place {
  readonly name: string;
  /** Puts a text there on purpose: a search that does not find it finds nothing. */
  readonly plant?: (control: string) => Promise<void>;
  /** Where nobody can put anything, what is known to be there. */
  readonly known?: string;
  /** Where in this place one of the texts is. */
  readonly find: (secrets: readonly string[]) => Promise<readonly string[]>;
}

export interface Story {
  readonly program: Pick<Program, "url" | "dataDir" | "said">;
  readonly sql: pg.Client;
  /** Older than all the secrets. */
  readonly marker: string;
  readonly events: EventStream;
  readonly owner: Client;
  readonly admin: Client;
  readonly workspaceId: string;
  readonly inside: (id: string, command: string) => Promise<{ readonly code: number; readonly text: string }>;
  /** Makes the IDE of the workspace say something. */
  readonly log: (id: string, text: string) => Promise<void>;
  /** A workspace of somebody else. */
  readonly neighbour: string;
}

const holds = (content: string, secrets: readonly string[], where: string): readonly string[] =>
  heldBy(content, secrets).map(() => where);

/** What there is on every runtime. */
export function commonPlaces(story: Story): readonly Place[] {
  const { program, sql, marker, events, owner, workspaceId } = story;
  return [
    {
      name: "database",
      plant: async (control) => {
        await sql.query("CREATE TABLE IF NOT EXISTS planted (bytes bytea)");
        await sql.query("INSERT INTO planted VALUES (convert_to($1, 'UTF8'))", [control]);
      },
      find: (secrets) => tablesHolding(sql, secrets),
    },
    {
      name: "events",
      plant: async (control) => {
        await owner.createWorkspace({ body: { name: control, desired_state: "ARCHIVED" } });
        await events.until(() => events.text().includes(control));
      },
      find: async (secrets) => holds(events.text(), secrets, "events"),
    },
    {
      name: "logs of the server",
      // Nothing that people write gets there; the ids of what is worked on do.
      known: workspaceId,
      find: async (secrets) => holds(program.said(), secrets, "log"),
    },
    {
      name: "answers of the API",
      plant: async (control) => void (await owner.createToken({ body: { name: control } })),
      find: async (secrets) => holds(await answers(story), secrets, "answer"),
    },
    {
      name: "log of the workspace",
      plant: (control) => story.log(workspaceId, control),
      find: async (secrets) =>
        holds(JSON.stringify(await owner.getLogs({ params: { id: workspaceId } })), secrets, "log"),
    },
    {
      name: "folder of the server",
      plant: (control) => writeFile(join(program.dataDir, "planted"), control),
      find: (secrets) => filesHolding(program.dataDir, marker, secrets),
    },
    processes(),
    {
      name: "processes, as somebody else's workspace sees them",
      plant: async (control) => {
        // In its own environment, which it does see; and it ends with its workspace.
        await story.inside(story.neighbour, `PLANTED=${control} sleep 600 > /dev/null 2>&1 &`);
      },
      find: (secrets) => seenByNeighbour(story, secrets),
    },
  ];
}

/** On this machine, also while something is under way. */
export const processes = (whose: { readonly alsoInWorkspaces?: boolean } = {}): Place => ({
  name: "processes of this machine",
  plant: async (control) => {
    const environment = { PATH: process.env["PATH"] ?? "", PLANTED: control };
    spawn(...diesWithUs("sleep", ["600"]), { env: environment, stdio: "ignore" }).unref();
  },
  find: async (secrets) => processesHolding(secrets, whose),
});

/** Archives that are files. */
export const archiveFolder = (folder: string, story: Story): Place => ({
  name: "archives",
  plant: plantInHome(story),
  find: (secrets) => archivesHolding(folder, secrets),
});

/** To be planted before the home is archived. */
export const plantInHome =
  ({ inside, workspaceId }: Story) =>
  async (control: string): Promise<void> => {
    await inside(workspaceId, `echo ${control} > ~/planted`);
  };

/** Whole tables as text, bytes as the database shows them. */
async function tablesHolding(sql: pg.Client, secrets: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql.query<{ name: string }>(
    "SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema <> 'information_schema'",
  );
  const held: string[] = [];
  for (const { name } of rows) {
    const { rows: content } = await sql.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    held.push(...holds(content.map(({ row }) => row).join("\n"), secrets, name));
  }
  return held;
}

/** Everything that can be asked about a workspace, its owner and the whole. */
async function answers({ owner, admin, workspaceId: id }: Story): Promise<string> {
  const params = { id };
  return JSON.stringify(
    await Promise.all([
      owner.getWorkspace({ params }),
      owner.listWorkspaces({ query: {} }),
      owner.listHistory({ params, query: {} }),
      owner.getSetupLog({ params }),
      owner.getProject({ params }),
      owner.getKeys(),
      owner.listTokens(),
      owner.listWorkspaceVariables({ params }),
      admin.listAudit({ query: { limit: 500 } }),
      admin.getSystem(),
    ]),
  );
}

/** Reads all that its user may, with the program that the IDE runs on: not every image has a grep that goes on after a zero. */
const LOOK = `const fs = require("fs"), secrets = fs.readFileSync(0, "utf8").trim().split("\\n");
for (const pid of fs.readdirSync("/proc")) for (const file of ["environ", "cmdline"])
  try {
    const shown = fs.readFileSync("/proc/" + pid + "/" + file, "latin1");
    if (secrets.some((secret) => shown.includes(secret))) console.log(pid, file);
  } catch {}`;

async function seenByNeighbour({ inside, neighbour }: Story, secrets: readonly string[]): Promise<readonly string[]> {
  // Cut in two, so that the command that looks does not find itself.
  const patterns = secrets.map((secret) => `'${secret.slice(0, 8)}''${secret.slice(8)}'`).join(" ");
  const { text } = await inside(neighbour, `printf '%s\\n' ${patterns} | /proc/$PPID/exe -e '${LOOK}'`);
  return text.split("\n").filter((line) => line !== "");
}
