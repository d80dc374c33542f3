import type { Scene } from "./moves.ts";
import { isProtected } from "./rules.ts";
import { has, type Id, isOver, type State, without } from "./state.ts";

/** GC of objects and the reaper of volumes. Each decides and destroys in two steps, as far apart as it likes. */
export function collectorMoves(scene: Scene): void {
  if (scene.bounds.gc) gcMoves(scene);
  if (scene.bounds.reaper) reaperMoves(scene);
}

function gcMoves(scene: Scene): void {
  const { now, rules } = scene;
  if (now.gc !== null) {
    destroyObjects(scene);
    return;
  }
  if (!rules.gcListsFirst) {
    scene.can(
      "planted.gc-reads-rows-first",
      () => "GC reads the rows: what must stay",
      (t) => {
        const known = [t.row.archive, t.row.archiveAttempt, ...t.trash.map((x) => x.id)];
        t.gc = { spared: known.filter((k) => k !== 0 && isProtected(rules, t, k)) };
      },
    );
    return;
  }
  for (const { id } of now.objects) {
    if (now.marks.includes(id) || isProtected(rules, now, id)) continue;
    scene.can(
      "gc.mark",
      () => `GC lists object ${id}, finds it unprotected and marks it`,
      (t) => {
        t.marks = [...t.marks, id];
      },
    );
  }
  for (const id of now.marks) {
    const spare = rules.gcRechecks && isProtected(rules, now, id);
    scene.can(
      spare ? "gc.spare" : "gc.doom",
      () => (spare ? `GC looks at marked object ${id} again and spares it` : `GC decides on marked object ${id}`),
      (t) => {
        t.marks = t.marks.filter((x) => x !== id);
        if (!spare) t.gc = { doomed: id };
      },
    );
  }
}

function destroyObjects(scene: Scene): void {
  const { now } = scene;
  const { gc } = now;
  if (gc === null) return;
  if ("doomed" in gc) {
    scene.can(
      "gc.delete",
      () => `GC deletes object ${gc.doomed}`,
      (t) => destroyObject(scene, t, gc.doomed),
    );
    return;
  }
  for (const { id } of now.objects) {
    if (gc.spared.includes(id)) continue;
    scene.can(
      "gc.delete",
      () => `GC lists the store and deletes object ${id}`,
      (t) => destroyObject(scene, t, id),
    );
  }
}

function destroyObject(scene: Scene, t: State, id: Id): void {
  if (t.row.archive === id && !isOver(t.row) && isJudged(scene)) {
    t.oracle.broken = "I7: GC destroyed the archive that the row names";
  }
  t.objects = without(t.objects, id);
  t.gc = null;
}

function reaperMoves(scene: Scene): void {
  const { now, rules } = scene;
  const { row, reaping } = now;
  if (reaping !== 0) {
    const used =
      now.container?.volume === reaping || now.jobs.some((j) => j.volume === reaping && j.read !== null && !j.late);
    scene.can(
      used ? "reaper.give-up" : "reaper.delete",
      () => `the reaper ${used ? "finds" : "removes"} volume ${reaping}${used ? " in use and gives up" : ""}`,
      (t) => {
        t.reaping = 0;
        if (used) return;
        if (row.volume === reaping && isJudged(scene))
          t.oracle.broken = "I7: the reaper removed the volume that the row names";
        t.volumes = without(t.volumes, reaping);
      },
    );
    return;
  }
  const archiveThere = row.volume !== 0 || row.archive === 0 || has(now.objects, row.archive) || isOver(row);
  if (rules.reaperChecksArchive && !archiveThere) return;
  for (const { id } of now.volumes) {
    const building = rules.reaperSparesAttempt && row.operation !== "NONE" && volumeInWork(scene, id);
    if (id === row.volume || building) continue;
    scene.can(
      "reaper.choose",
      () => `the reaper finds volume ${id} unreferenced`,
      (t) => {
        t.reaping = id;
      },
    );
  }
}

/** The volume that the running operation is making. */
function volumeInWork(scene: Scene, id: Id): boolean {
  return scene.rules.attemptNames ? id === scene.now.row.attempt : true;
}

/** The traces of planted holes should be about data, not about a fresh and empty home. */
function isJudged(scene: Scene): boolean {
  return !scene.bounds.onlyWithData || scene.now.oracle.newest > 0;
}
