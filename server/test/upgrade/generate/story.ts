import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describeTree } from "../../data/fingerprint.ts";
import type { OldApi } from "./old-api.ts";
import type { OldServer } from "./old-server.ts";
import { plantHome } from "./plant.ts";

/** What the data set holds, by the names of its workspaces. */
export interface Told {
  readonly ids: Record<string, string>;
  /** Each home as a text that tells everything about it. */
  readonly homes: Record<string, string>;
}

/** Lives through what happens to workspaces in weeks, one of each kind, up to a power cut in the middle of everything. */
export async function tellStory(server: OldServer, dataDir: string, anna: OldApi, ben: OldApi): Promise<Told> {
  const teller = new Teller(dataDir, anna);
  await restAtEveryLevel(teller, ben);
  await goWrong(teller);
  await goAway(teller);
  await stopInTheMiddle(teller, server);
  return { ids: teller.ids, homes: teller.homes };
}

class Teller {
  readonly ids: Record<string, string> = {};
  readonly homes: Record<string, string> = {};
  readonly dataDir: string;
  readonly api: OldApi;

  constructor(dataDir: string, api: OldApi) {
    this.dataDir = dataDir;
    this.api = api;
  }

  /** A running workspace with a home of its own. */
  async start(name: string, api = this.api): Promise<string> {
    const { id } = await api.create(name, "RUNNING");
    this.ids[name] = id;
    await api.reaches(id, "RUNNING");
    const home = await this.home(id);
    plantHome(home, `the home of ${name}`, (await stat(home)).uid);
    this.homes[name] = describeTree(home);
    return id;
  }

  async takeTo(name: string, level: string, api = this.api): Promise<string> {
    const id = await this.start(name, api);
    await api.wish(id, level);
    await api.reaches(id, level);
    return id;
  }

  /** Of several volumes the one that is no longer or not yet retired is the newest. */
  async home(id: string): Promise<string> {
    const folder = join(this.dataDir, "volumes");
    const names = (await readdir(folder)).filter((name) => name.startsWith(`ws-${id}-`));
    const made = await Promise.all(
      names.map(async (name) => ({ name, at: (await stat(join(folder, name, ".codehub"))).birthtimeMs })),
    );
    const newest = made.toSorted((a, b) => b.at - a.at)[0];
    if (newest === undefined) throw new Error(`${id} has no volume`);
    return join(folder, newest.name, "home");
  }

  /** The one archive of a workspace. */
  async archive(id: string): Promise<string> {
    const folder = join(this.dataDir, "archives", id);
    const [attempt = ""] = await readdir(folder);
    return join(folder, attempt, "home.tar.zst");
  }
}

async function restAtEveryLevel(teller: Teller, ben: OldApi): Promise<void> {
  const { api } = teller;
  await teller.takeTo("standby", "STANDBY");
  await teller.takeTo("archived", "ARCHIVED");
  await teller.takeTo("archived by Docker", "ARCHIVED");
  await teller.takeTo("archived of Ben", "ARCHIVED", ben);
  await teller.takeTo("error ArchiveAccessError", "ARCHIVED");
  const empty = await api.create("archived empty", "ARCHIVED");
  teller.ids["archived empty"] = empty.id;
  await api.reaches(empty.id, "ARCHIVED");
  // Archived twice: an older version is kept, and the volumes between are retired.
  const twice = await teller.takeTo("standby again", "ARCHIVED");
  for (const level of ["STANDBY", "ARCHIVED", "STANDBY"]) {
    await api.wish(twice, level);
    await api.reaches(twice, level);
  }
  const reset = await teller.takeTo("pending", "ARCHIVED");
  delete teller.homes["pending"];
  await api.call("POST", `/workspaces/${reset}/reset`, { confirm: "pending" });
  await api.reaches(reset, "PENDING");
  await teller.start("running");
  await teller.start("ran before the power cut");
}

/** Errors that a person has to look at, made by what causes them. */
async function goWrong(teller: Teller): Promise<void> {
  const { api, dataDir } = teller;
  const lost = await teller.takeTo("error DataLost", "STANDBY");
  await rm(join(await teller.home(lost), ".."), { recursive: true });
  delete teller.homes["error DataLost"];
  await api.wish(lost, "RUNNING");

  const damaged = await teller.takeTo("error ArchiveCorrupted", "ARCHIVED");
  const object = await teller.archive(damaged);
  const bytes = await readFile(object);
  bytes[200] = (bytes[200] ?? 0) ^ 1;
  await writeFile(object, bytes);
  delete teller.homes["error ArchiveCorrupted"];
  await api.wish(damaged, "STANDBY");

  // By the time it is wanted again, nobody may remember that it was there a minute ago.
  const missing = teller.ids["error ArchiveAccessError"] ?? "";
  await pause(61_000);
  await rm(join(await teller.archive(missing), ".."), { recursive: true });
  delete teller.homes["error ArchiveAccessError"];
  await api.wish(missing, "STANDBY");

  // The name under which the home is reached is taken by something else: no start works, however often it is tried.
  const spoiled = await teller.takeTo("error RetryExceeded", "STANDBY");
  await rm(join(dataDir, "homes", spoiled), { recursive: true, force: true });
  await mkdir(join(dataDir, "homes", spoiled, "taken"), { recursive: true });
  await api.wish(spoiled, "RUNNING");

  for (const id of [lost, damaged, missing, spoiled]) await api.reaches(id, "ERROR");
  await rm(join(dataDir, "homes", spoiled), { recursive: true });
}

async function goAway(teller: Teller): Promise<void> {
  const { api } = teller;
  const trash = await teller.takeTo("in the trash", "STANDBY");
  await api.call("DELETE", `/workspaces/${trash}`);
  const purged = await teller.takeTo("purged", "STANDBY");
  delete teller.homes["purged"];
  await api.call("DELETE", `/workspaces/${purged}?purge=true&confirm=purged`);
  for (const id of [trash, purged]) await api.reaches(id, "DELETED");
}

/** The last moment before the power cut: each of these has an operation that will never be finished by who began it. */
async function stopInTheMiddle(teller: Teller, server: OldServer): Promise<void> {
  const { api } = teller;
  const archiving = await teller.takeTo("archiving", "STANDBY");
  const restoring = await teller.takeTo("restoring", "ARCHIVED");
  const deleting = await teller.takeTo("deleting", "STANDBY");
  const starting = await teller.takeTo("starting", "STANDBY");
  await writeFile(join(await teller.home(starting), ".mute"), "");
  teller.homes["starting"] = describeTree(await teller.home(starting));
  for (const id of [archiving, restoring, deleting]) await server.holdJobs(id);
  await api.wish(archiving, "ARCHIVED");
  await api.wish(restoring, "RUNNING");
  await api.wish(starting, "RUNNING");
  await api.call("DELETE", `/workspaces/${deleting}`);
  await api.reaches(archiving, "STANDBY", "ARCHIVING");
  await api.reaches(restoring, "ARCHIVED", "RESTORING");
  await api.reaches(starting, "STANDBY", "STARTING");
  await api.reaches(deleting, "DELETING", "ARCHIVING");
  // Until each of them has left something behind that is not whole.
  await pause(3_000);
}
