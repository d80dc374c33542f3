import { endAttempt, isMine } from "./commit.ts";
import { endPreparing, hasVisibleJob } from "./jobs.ts";
import type { Scene } from "./moves.ts";
import { goTo, type Seat } from "./seat.ts";
import { CORRUPT, contentOf, type Driver, PARTIAL } from "./state.ts";

/** The completing observation: it begins when no job of the attempt is left, and looks at what was made. */
export function verify(scene: Scene, seat: Seat): void {
  const { now, rules } = scene;
  const { driver } = seat;
  if (driver.operation === "PREPARING") {
    hear(scene, seat);
    return;
  }
  const done = completion(scene, driver);
  const jobLeft = hasVisibleJob(now, driver.attempt);
  const markerSays = !rules.markerIsNoProof && driver.archive !== 0 && now.row.marker === driver.archive;
  const early = !rules.waitForJobs || markerSays;
  if (jobLeft && !(early && done)) return;
  if (done) {
    scene.can(
      "verify.good",
      () => `${seat.name} observes that ${driver.operation} ${driver.attempt} is complete`,
      (t) => goTo(t, seat, "commit"),
    );
  } else attemptFails(scene, seat, "verification fails");
  if (now.left.reruns > 0 && driver.operation !== "CREATE_EMPTY_ARCHIVE") {
    scene.can(
      "fault.rerun",
      () => `${seat.name} cannot see how job ${driver.attempt} ended and runs it again inside the attempt`,
      (t) => {
        t.left.reruns -= 1;
        goTo(t, seat, "launch");
      },
    );
  }
}

/** What prepares a home tells how it ended, to whoever launched it. Without an answer the attempt has failed. */
function hear(scene: Scene, seat: Seat): void {
  const { now, rules } = scene;
  const { attempt, version } = seat.driver;
  if (!hasVisibleJob(now, attempt)) attemptFails(scene, seat, "nobody said how it ended");
  const { wanted, skipped, deleted } = now.row;
  if (wanted === version && !skipped && !deleted) return;
  scene.can(
    "act.give-up",
    () => `${seat.name} sees that nobody waits for request ${version} and ends job ${attempt}`,
    (t) => {
      if (rules.preparedIsGone) t.jobs = t.jobs.filter((j) => j.attempt !== attempt);
      goTo(t, seat, "commit", { outcome: "skipped" });
    },
  );
}

function completion(scene: Scene, driver: Driver): boolean {
  const { now, rules } = scene;
  if (driver.operation === "RESTORING") {
    const made = contentOf(now.volumes, driver.volume);
    if (made === undefined) return false;
    if (!rules.markerIsNoProof && now.row.marker === driver.archive) return true;
    const original = contentOf(now.objects, driver.archive);
    return made !== PARTIAL && (original === undefined || made === original);
  }
  const made = contentOf(now.objects, driver.attempt);
  if (made === undefined || (rules.verifyArchive && made === CORRUPT)) return false;
  const mounted = driver.operation === "ARCHIVING" && now.container?.volume === driver.volume;
  return !(rules.zeroContainers && mounted);
}

/** The attempt is over without effect: the next one has another name, or a person is called after the third. */
export function attemptFails(scene: Scene, seat: Seat, why: string): void {
  const { rules } = scene;
  if (!isMine(rules, scene.now, seat.driver)) {
    scene.can(
      "verify.bad",
      () => `${seat.name} gives up: ${why}`,
      (t) => seat.set(t, null),
    );
    return;
  }
  for (const error of [false, true]) {
    scene.can(
      "verify.bad",
      () => `${seat.name}'s attempt fails: ${why}${error ? "; ERROR(RetryExceeded)" : ""}`,
      (t) => {
        seat.set(t, null);
        if (rules.endsPreparing) endPreparing(t);
        endAttempt(rules, t, error);
      },
    );
  }
}
