import { link, lstat, rename, rm, watch } from "node:fs/promises";
import { flushCompileCache } from "node:module";
import { basename, join } from "node:path";
import { keepNames } from "./keep-names.ts";
import { identify, isMarkedFor, processesOf, signal } from "./proc.ts";
import { Program } from "./program.ts";
import { type ContainerRecord, EXIT, LOG, RECORD, readJson, STARTED, touch, writeJson } from "./record.ts";
import { RotatingLog } from "./rotating-log.ts";

/*
 * The program that stands above one workspace, in a session of its own, so that the workspace outlives the server. It
 * bounds the output, keeps the exit code, and ends what the IDE leaves behind. It is started with the container's directory.
 */

const dir = process.argv[2];
if (dir === undefined) throw new Error("usage: supervisor.ts DIRECTORY");
const record = await readJson<ContainerRecord>(join(dir, RECORD));
if (record === null) throw new Error(`${dir} holds no container`);
// Started by a server that was killed, it may come up when another container has taken the place of its own.
if (!isMarkedFor(process.env, record)) throw new Error(`${dir} holds another container`);
await supervise(dir, record);

async function supervise(dir: string, record: ContainerRecord): Promise<void> {
  const supervisor = await identify(process.pid);
  if (supervisor === null) throw new Error("/proc does not show this process");
  const watching = new AbortController();
  const log = new RotatingLog(join(dir, LOG), record.logLimitBytes);
  const publishing = publishSocket(record, watching.signal).catch((error: Error) => {
    // The workspace then never answers, and its log says why; what runs is still supervised.
    log.write(Buffer.from(`The IDE's socket could not be published: ${error.message}\n`));
  });
  const program = new Program(record, log, (namespace) => {
    keepNames(record.uid ?? 0, namespace, watching.signal).catch((error: Error) => {
      // Names may be missing some day; nothing else is.
      log.write(Buffer.from(`[codehub] the list of users is not watched: ${error.message}\n`));
    });
  });
  process.on("SIGTERM", () => program.stop());
  process.on("SIGINT", () => {});
  process.on("SIGHUP", () => {});

  const ended = program.ended();
  // Only a program that was found and allowed to run makes a running container.
  if (program.begun) {
    await writeJson(join(dir, STARTED), { supervisor });
    // A server that is gone by now is not told; its successor looks.
    process.send?.("started", undefined, undefined, () => {});
  }
  if (process.connected) process.disconnect();
  // It may never come to an end in order, and the next one is started a little sooner.
  flushCompileCache();

  const exit = await ended;
  watching.abort();
  await publishing;
  await endLeftovers(record);
  if (exit.message !== null) log.write(Buffer.from(`${exit.message}\n`));
  await writeJson(join(dir, EXIT), exit);
  await touch(record.hintFile);
  // A process that escaped with our end of the pipe must not keep this one alive.
  process.exit(0);
}

/** Terminals and daemons live in sessions of their own; a container whose first process ended has none of them left. */
async function endLeftovers(record: ContainerRecord): Promise<void> {
  for (let round = 0; round < 50; round++) {
    const left = await processesOf(record, record.uid);
    if (left.length === 0) return;
    for (const one of left) await signal(one, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * The proxy must never be led to another socket by a link that the workspace puts in place of its own. So the socket gets
 * a second name in a directory the workspace cannot write to, and only a socket that belongs to its account gets one.
 */
async function publishSocket(record: ContainerRecord, ended: AbortSignal): Promise<void> {
  const bound = join(record.userSocketDir, basename(record.socketPath));
  const events = watch(record.userSocketDir, { signal: ended });
  try {
    await publish(record, bound);
    // An IDE that restarts itself binds a new socket under the same name.
    for await (const _ of events) await publish(record, bound);
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}

async function publish(record: ContainerRecord, bound: string): Promise<void> {
  const [socket, published] = await Promise.all([look(bound), look(record.socketPath)]);
  // The mode is set after the bind; the name is given when the socket is finished.
  if (socket === null || !socket.isSocket() || (socket.mode & 0o077) !== 0 || socket.ino === published?.ino) return;
  const temporary = `${record.socketPath}.new`;
  await rm(temporary, { force: true });
  await link(bound, temporary).catch(ignoreMissing);
  const linked = await look(temporary);
  if (linked?.isSocket() && linked.uid === (record.uid ?? process.getuid?.())) {
    await rename(temporary, record.socketPath);
  } else {
    await rm(temporary, { force: true });
  }
}

function look(path: string) {
  return lstat(path).catch(ignoreMissing);
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== "ENOENT") throw error;
  return null;
}
