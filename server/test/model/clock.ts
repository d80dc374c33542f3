import type { Scene } from "./moves.ts";
import type { Desired } from "./state.ts";

/** The TTL runner, which reads and writes in two steps, and retention periods, which end at any time. */
export function clockMoves(scene: Scene): void {
  ttlMoves(scene);
  retentionMoves(scene);
}

function ttlMoves(scene: Scene): void {
  const { now, rules } = scene;
  const { row, ttl } = now;
  const running = now.container !== null && now.container.instance === row.endpoint;
  const level: Desired = running ? "RUNNING" : "STANDBY";
  const lowers = !row.deleted && row.desired === level;
  if (ttl === null && now.left.ttlRuns > 0 && row.operation === "NONE" && row.volume !== 0) {
    if (lowers || !rules.ttlLowers) {
      scene.can(
        "ttl.read",
        () => `the TTL runner reads an idle row (${level}, desired ${row.desired})`,
        (t) => {
          t.left.ttlRuns -= 1;
          t.ttl = { to: running ? "STANDBY" : "ARCHIVED", fresh: true, outdated: !lowers };
        },
      );
    }
  }
  if (ttl === null) return;
  scene.can(
    "ttl.write",
    () => `the TTL runner writes desired ${ttl.to}`,
    (t) => {
      t.ttl = null;
      if (rules.ttlCompareAndSet && !ttl.fresh) return;
      t.row.desired = ttl.to;
      if (ttl.outdated) t.oracle.broken = "IW: the TTL runner overrode a newer wish";
    },
  );
}

function retentionMoves(scene: Scene): void {
  const { row, trash } = scene.now;
  if (row.deleted && !row.expired) {
    scene.can(
      "time.retention-ends",
      () => "the retention of the deletion ends (expired_at)",
      (t) => {
        t.row.expired = true;
      },
    );
  }
  if (row.expired && !scene.rules.expiryOneWay) {
    scene.can(
      "planted.clock-back",
      () => "the retention setting is raised: the deletion is not expired any more",
      (t) => {
        t.row.expired = false;
      },
    );
  }
  for (const x of trash) {
    if (x.over) continue;
    scene.can(
      "time.trash-ends",
      () => `the retention of discarded archive ${x.id} ends`,
      (t) => {
        t.trash = t.trash.map((y) => (y.id === x.id ? { ...y, over: true } : y));
      },
    );
  }
}
