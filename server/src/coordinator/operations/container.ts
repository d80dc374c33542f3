import { withSurroundings } from "#coordinator/surroundings.ts";
import { requireOurEngine } from "#coordinator/trust.ts";
import { nameInHosts } from "#core/rows/address.ts";
import { hostNameOf } from "#core/rows/host-name.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import type { Endpoint } from "#core/rows/workspace.ts";
import type { OnWaiting, StartWaiting } from "#ports/runtime.ts";
import type { Progress } from "#ports/store.ts";
import { type Act, type AttemptContext, failed, removeLeftovers, requireDiskSpace } from "./context.ts";
import { type Given, givenTo } from "./given.ts";

/** Somebody waits for this answer: it is asked for often at first, and less often of an IDE that takes its time. */
const FIRST_ASK_MS = 10;
const LAST_ASK_MS = 250;
/** An IDE comes up in a second or two. By then it is asked every 30 to 50 ms: half of that is how late it is noticed. */
const ASK_GROWTH = 1.02;
/** The engine is asked this often whether the container is still there; the IDE itself much more often. */
const LOOK_MS = 1_000;
const LAST_WORDS = 20;

/** Starts a container on the home and waits until it answers. Done twice, it finds its own container again. */
export const start: Act<"container"> = async (context) => {
  await requireDiskSpace(context);
  const { term, world, row, signal, step } = context;
  const volume = row.homeVolume;
  if (volume === null) throw failed("no_volume");
  const [left, identity] = await step("volume", () =>
    Promise.all([removeLeftovers(context), world.volumes.identity(volume)]),
  );
  if (identity?.workspaceId !== row.id) throw failed("foreign_volume", { volume });
  let waited = false;
  const onWaiting = (waiting: StartWaiting): void => {
    waited = true;
    context.progress(progressOf(waiting));
  };
  const given = await step("what it is given", () => givenTo(context));
  await step("image", () => world.runtime.ensureImage(given.imageRef, onWaiting, signal));
  const endpoint = await step(
    "container",
    async () => (await ownContainer(context, left)) ?? (await launch(context, volume, given, onWaiting)),
  );
  // What was told before is over. A start that waited for nothing is done before anybody could read this.
  if (waited) onWaiting({ code: "answering", fields: {}, since: term.databaseClock.now() });
  await step("until it answers", () => untilItAnswers(context, endpoint));
  return { kind: "container", endpoint, image: row.imageRef };
};

/** Ends every container of the workspace, by id, and sees that none is left. The volume stays. */
export const stop: Act<"no_container"> = async ({ term, world, row }) => {
  const { runtime } = world;
  for (const container of await runtime.inspect(row.id)) {
    await runtime.remove(container.id, term.deps.settings.stopGraceSeconds);
  }
  await requireOurEngine(term);
  const left = await runtime.inspect(row.id);
  if (left.length > 0) throw failed("container_stays", { container: left[0]?.id ?? null });
  await term.store.releasePorts(row.id, null);
  return { kind: "no_container" };
};

/** What a leader before this one started for this very attempt is adopted: labels say so, not names. */
async function ownContainer(
  { world, row, attempt }: AttemptContext,
  left: readonly ContainerSeen[],
): Promise<Endpoint | null> {
  const own = left.find((container) => container.attempt === attempt && container.volume === row.homeVolume);
  if (own === undefined) return null;
  if (own.state === "running" && own.address !== null) return { containerId: own.id, attempt, address: own.address };
  await world.runtime.remove(own.id, 0);
  return null;
}

async function launch(context: AttemptContext, volume: string, given: Given, onWaiting: OnWaiting): Promise<Endpoint> {
  const { term, world, row, attempt, signal } = context;
  const { runtime } = world;
  const hostPort = runtime.hostPorts === null ? null : await term.store.reservePort(row.id, attempt, runtime.hostPorts);
  const spec = {
    ...{ workspaceId: row.id, attempt, volume, hostPort, ownerId: row.ownerId },
    nameInHosts: nameInHosts(row),
    ...(runtime.takes.hostName ? { hostName: hostNameOf(row.name) } : {}),
    ...given,
    ...withSurroundings(given, term.deps.surroundings, runtime.takes),
    // The second is what code-server puts into the title of its window.
    env: { CODEHUB_WORKSPACE_NAME: row.name, CODE_SERVER_APP_NAME: row.name },
  };
  const started = await runtime.start(spec, signal, onWaiting);
  return { containerId: started.containerId, attempt, address: started.address };
}

function progressOf(waiting: StartWaiting): Progress {
  const { done_bytes: done, total_bytes: total } = waiting.fields;
  const doneBytes = typeof done === "number" ? done : 0;
  const totalBytes = typeof total === "number" ? total : null;
  return { step: waiting.code, doneBytes, totalBytes, doneFiles: 0, bytesPerSecond: null, waiting };
}

/** The completing observation: something answers there, and it is this instance, on this volume, and running. */
async function untilItAnswers(context: AttemptContext, endpoint: Endpoint): Promise<void> {
  const { term, world, signal } = context;
  const { clock } = term.deps;
  let lookedAt = Number.NEGATIVE_INFINITY;
  for (let askMs = FIRST_ASK_MS; !signal.aborted; askMs = Math.min(askMs * ASK_GROWTH, LAST_ASK_MS)) {
    const answers = await world.runtime.answers(endpoint.address);
    if (answers || clock.monotonicMs() - lookedAt >= LOOK_MS) {
      // Seen after the answer: what runs now has run since it was started, for nothing starts it twice.
      const [running] = await Promise.all([
        isRunning(context, endpoint),
        answers ? world.runtime.cameUp?.(endpoint.containerId) : undefined,
      ]);
      if (running && answers) return;
      lookedAt = clock.monotonicMs();
    }
    await clock.sleep(askMs, signal);
  }
  throw failed("start_given_up");
}

async function isRunning({ world, row, attempt }: AttemptContext, endpoint: Endpoint): Promise<boolean> {
  const { runtime } = world;
  const containers = await runtime.inspect(row.id);
  const mine = containers.find((container) => container.id === endpoint.containerId);
  if (mine === undefined) throw failed("container_vanished");
  if (mine.attempt !== attempt || mine.volume !== row.homeVolume) throw failed("container_foreign");
  if (mine.state === "exited") {
    // A step before the IDE that failed has said its last words already.
    const words = mine.ended?.code === "init_failed" ? "" : await runtime.logs(mine.id, LAST_WORDS).catch(() => "");
    const why = mine.ended === undefined ? {} : { ended: mine.ended.code };
    const message = [String(mine.ended?.fields?.["message"] ?? ""), words.trimEnd()].filter((part) => part !== "");
    throw failed("container_ended", { exit_code: mine.exitCode, ...why }, message.join("\n"));
  }
  return mine.state === "running";
}
