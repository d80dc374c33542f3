import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { archiveByDocker } from "./generate/by-docker.ts";
import { dumpDatabase } from "./generate/dump.ts";
import { OldApi } from "./generate/old-api.ts";
import { type OldServer, startOldServer } from "./generate/old-server.ts";
import { tellStory } from "./generate/story.ts";

/*
 * Makes a data set with an old release: `node server/test/upgrade/main.ts CHECKOUT FOLDER`, as root, with Docker.
 * What it makes and why is told in fixture-0.1.0/README.md.
 */

const [checkout = "", folder = ""] = process.argv.slice(2).map((path) => resolve(path));
/** Short enough for sockets, and easy to find in what was written, where a test puts its own. */
const DATA_DIR = "/tmp/codehub-0.1.0";
/** Everything of that release that starts processes, containers and storage jobs; it needs no package. */
const PROGRAM = [
  "core",
  "ports",
  "jobs",
  "adapters/process",
  "adapters/system",
  "adapters/filesystem",
  "adapters/docker",
];
const admin = { username: "mina", password: "a long enough sentence" };

await mkdir(folder, { recursive: true });
await mkdir(DATA_DIR, { mode: 0o711 });
const workDir = await mkdtemp(join(tmpdir(), "old-"));
await chmod(workDir, 0o711);
await copyFile(join(checkout, "server/test/runtime/fake-ide.mjs"), join(DATA_DIR, "ide.mjs"));
await symlink(process.execPath, join(DATA_DIR, "node"));
const embedded = "server/src/adapters/postgres/embedded/embedded-postgres.ts";
const { EmbeddedPostgres } = await import(pathToFileURL(join(checkout, embedded)).href);
const postgres = await EmbeddedPostgres.start({ dir: join(workDir, "pg") });
try {
  await generate(postgres.url);
} finally {
  await postgres.stop();
  await rm(workDir, { recursive: true, force: true });
  await rm(DATA_DIR, { recursive: true, force: true });
}

async function generate(databaseUrl: string): Promise<void> {
  const server = await startOldServer(checkout, workDir, {
    DATA_DIR,
    DATABASE_URL: databaseUrl,
    PORT: "0",
    RUNTIME: "process",
    ADMIN_USERNAME: admin.username,
    ADMIN_PASSWORD: admin.password,
    LIMITS_MAX_RUNNING_PER_USER: "10",
    RECONCILER_MAX_RETRIES: "2",
    TTL_STANDBY_SECONDS: "0",
    TTL_ARCHIVE_SECONDS: "0",
  });
  const { people, told } = await live(server).finally(() => server.cutPower());
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const byDocker = await archiveByDocker(checkout, DATA_DIR, database, told.ids["archived by Docker"] ?? "");
  await addWhatTakesWeeks(database, told.ids);
  await writeFile(join(folder, "database.sql"), await dumpDatabase(database, checkout));
  await database.end();
  const homes = { ...told.homes, "archived by Docker": byDocker };
  await writeFile(join(folder, "homes.json"), `${JSON.stringify(homes, null, 1)}\n`);
  const facts = {
    dataDir: DATA_DIR,
    madeAt: new Date().toISOString(),
    users: { admin, anna: people.anna.user, ben: people.ben.user },
    annasCookie: people.anna.cookie,
    annasToken: people.anna.secret,
    workspaces: told.ids,
  };
  await writeFile(join(folder, "facts.json"), `${JSON.stringify(facts, null, 2)}\n`);
  pack(
    join(folder, "data.tar.zst"),
    DATA_DIR,
    (await readdir(DATA_DIR)).filter((name) => name !== "cache" && name !== "node"),
  );
  const sources = PROGRAM.map((name) => `src/${name}`);
  const leaveOut = ["--exclude=*.test.ts", "--exclude=logger.ts"];
  pack(join(folder, "program.tar.zst"), join(checkout, "server"), [...leaveOut, "package.json", ...sources]);
}

async function live(server: OldServer) {
  const people = await makePeople(server.url);
  return { people, told: await tellStory(server, DATA_DIR, people.anna.api, people.ben.api) };
}

async function makePeople(url: string) {
  const { api } = await OldApi.login(url, admin);
  const person = async (username: string) => {
    const user = { username, password: `the password of ${username}` };
    await api.call("POST", "/users", user);
    return { user, ...(await OldApi.login(url, user)) };
  };
  const [anna, ben, carl] = [await person("anna"), await person("ben"), await person("carl")];
  const { id } = await carl.api.call<{ user: { id: string } }>("GET", "/auth/session").then(({ user }) => user);
  await api.call("PATCH", `/users/${id}`, { disabled: true });
  await OldApi.login(url, { username: "anna", password: "a wrong one" }).catch(() => null);
  return { anna, ben };
}

/** Rows that this machine's runtime never writes, or that need longer than anybody waits for. */
async function addWhatTakesWeeks(database: pg.Client, ids: Readonly<Record<string, string>>): Promise<void> {
  await database.query(`INSERT INTO host_ports (port, workspace_id, attempt) VALUES (20117, $1, gen_random_uuid())`, [
    ids["archived by Docker"],
  ]);
  await database.query("INSERT INTO gc_marks (key) VALUES ($1)", [
    "00000000-0000-4000-8000-000000000000/00000000-0000-4000-8000-000000000001/home.tar.zst",
  ]);
  await database.query(
    `INSERT INTO sessions (token_hash, kind, user_id, parent_id, workspace_id, port, expires_at)
     SELECT sha256('a workspace session'), 'workspace', user_id, id, $1, 3000, expires_at
     FROM sessions WHERE kind = 'dashboard' AND user_id = (SELECT owner_id FROM workspaces WHERE id = $1)
     ORDER BY created_at DESC LIMIT 1`,
    [ids["running"]],
  );
}

function pack(file: string, from: string, what: readonly string[]): void {
  const options = [
    "--format=posix",
    "--sort=name",
    "--sparse",
    "--numeric-owner",
    "--xattrs",
    "--xattrs-include=user.*",
  ];
  const stable = ["--acls", "--pax-option=delete=atime,delete=ctime"];
  execFileSync(
    "/usr/bin/tar",
    [
      ...["--create", "--use-compress-program=zstd -19", `--file=${file}`, `--directory=${from}`],
      ...options,
      ...stable,
      ...what,
    ],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
}
