import { forgetArchiveAttempt, forgetSetup } from "./commit.ts";
import type { Scene } from "./moves.ts";
import { isRoutable, type RequestName } from "./rules.ts";
import { contentOf, type Desired, has, isDue, put, type State, without } from "./state.ts";

/** The user in the IDE, the proxy that lets the user in, and everything people ask of the API. */
export function peopleMoves(scene: Scene): void {
  ideMoves(scene);
  proxyMoves(scene);
  requestMoves(scene);
  recoverMoves(scene);
}

function ideMoves(scene: Scene): void {
  const { now, rules } = scene;
  const { container } = now;
  if (container === null || now.left.writes === 0) return;
  if (!container.connected && isRoutable(rules, now)) {
    scene.can(
      "user.open",
      () => "the user opens the IDE",
      (t) => {
        t.container = { ...container, connected: true };
      },
    );
  }
  if (container.connected && has(now.volumes, container.volume)) {
    scene.can(
      "user.write",
      () => `the user writes v${now.oracle.versions + 1} to volume ${container.volume}`,
      (t) => {
        t.left.writes -= 1;
        t.oracle.versions += 1;
        t.oracle.newest = t.oracle.versions;
        t.volumes = put(t.volumes, container.volume, t.oracle.newest);
      },
    );
  }
}

function proxyMoves(scene: Scene): void {
  const { now, rules, bounds } = scene;
  const { container } = now;
  if (bounds.slowProxy && container !== null && now.routed === 0 && now.left.writes > 0 && isRoutable(rules, now)) {
    scene.can(
      "proxy.decide",
      () => `the proxy decides to route to container ${container.instance} and connects later`,
      (t) => {
        t.routed = container.instance;
      },
    );
  }
  if (now.routed === 0) return;
  scene.can(
    "proxy.connect",
    () => "the proxy connects on its earlier decision",
    (t) => {
      t.routed = 0;
      // Without the instance in the decision the proxy reaches whatever container carries the workspace's name now.
      const same = container !== null && (!rules.routeByInstance || container.instance === now.routed);
      const allowed = !rules.connectRechecks || !now.row.deleted;
      if (container !== null && same && allowed) t.container = { ...container, connected: true };
    },
  );
}

/** desired_version moves: whatever the TTL runner has read is not the newest wish any more. */
function newerRequest(t: State): void {
  if (t.ttl !== null) t.ttl = { ...t.ttl, fresh: false, outdated: true };
}

function requestMoves(scene: Scene): void {
  const { now, rules, bounds } = scene;
  if (now.left.wishes === 0) return;
  const { row } = now;
  const wish = (name: RequestName, words: string, effect: (t: State) => void): void => {
    if (!bounds.wishes.includes(name)) return;
    scene.can(
      `wish.${name}`,
      () => words,
      (t) => {
        t.left.wishes -= 1;
        effect(t);
      },
    );
  };
  const desire = (name: RequestName, to: Desired, words: string): void => {
    if (row.desired === to) return;
    wish(name, words, (t) => {
      t.row.desired = to;
      newerRequest(t);
    });
  };

  if (!row.deleted || !rules.patchNotDeleted) {
    desire("run", "RUNNING", "the user asks RUNNING");
    desire("standby", "STANDBY", "the user asks STANDBY");
    desire("archive", "ARCHIVED", "the user asks ARCHIVED");
    repositoryWishes(scene);
    desire("reset", "PENDING", "the user confirms a reset (PENDING)");
    if (now.ttl !== null && row.desired === "RUNNING") {
      wish("repeat", "the user asks RUNNING again", (t) => {
        if (rules.bumpRepeated) newerRequest(t);
        else if (t.ttl !== null) t.ttl = { ...t.ttl, outdated: true };
      });
    }
  }
  undoReset(scene, wish);
  // There is nothing left to empty: the reset is over.
  const emptied = row.desired === "PENDING" && row.operation === "NONE" && row.volume === 0 && row.archive === 0;
  if (row.desired === "STANDBY" || row.desired === "ARCHIVED" || (emptied && !row.error)) {
    if (!row.deleted) desire("wake", "RUNNING", "a visit wakes the workspace (RUNNING)");
  } else if (row.desired === "PENDING" && !rules.wakeSparesReset) {
    wish("wake", "a browser tab reloads and wakes the workspace (RUNNING)", (t) => {
      t.row.desired = "RUNNING";
      t.oracle.broken = "IW: a wake cancelled a confirmed reset";
    });
  }
  deletionWishes(scene, wish);
}

/** A repository, another one, or the same once more; and no patience for the one that was asked for. */
function repositoryWishes(scene: Scene): void {
  const { now, bounds } = scene;
  const { row, container, left } = now;
  const starts = row.operation === "STARTING";
  const runs = starts || (container !== null && container.instance === row.endpoint && row.operation === "NONE");
  if (left.asks > 0 && bounds.wishes.includes("repository") && !row.deleted && !(runs && row.restart)) {
    scene.can(
      "wish.repository",
      () => `the user asks for repository ${row.wanted + 1}`,
      (t) => {
        t.left.asks -= 1;
        t.row.wanted += 1;
        t.row.skipped = false;
        if (runs && row.desired === "RUNNING") t.row.restart = true;
        newerRequest(t);
      },
    );
  }
  if (left.skips > 0 && bounds.wishes.includes("skip") && !row.deleted && isDue(row)) {
    scene.can(
      "wish.skip",
      () => `the user does not want to wait for repository ${row.wanted}`,
      (t) => {
        t.left.skips -= 1;
        t.row.skipped = true;
        newerRequest(t);
      },
    );
  }
}

function deletionWishes(
  scene: Scene,
  wish: (name: RequestName, words: string, effect: (t: State) => void) => void,
): void {
  const { now, rules } = scene;
  const { row } = now;
  const remove = (t: State): void => {
    t.row.desired = "DELETED";
    t.row.deleted = true;
    newerRequest(t);
    if (t.container !== null && rules.routeNotDeleted) t.container = { ...t.container, connected: false };
  };
  if (!row.deleted) wish("delete", "the user deletes the workspace", remove);
  if (row.deleted && !row.purge && !rules.deleteOnce) {
    wish("delete", "the user deletes the workspace again (deleted_at moves)", (t) => {
      remove(t);
      t.row.expired = false;
    });
  }
  if (!row.purge) {
    wish("purge", "the user deletes the workspace with purge", (t) => {
      remove(t);
      t.row.purge = true;
    });
  }
  const refused = (rules.undeleteNotPurged && row.purge) || (rules.undeleteNotExpired && row.expired);
  if (row.deleted && !refused) {
    wish("undelete", "the user undeletes the workspace (ARCHIVED)", (t) => {
      Object.assign(t.row, { deleted: false, purge: false, expired: false, desired: "ARCHIVED" });
      newerRequest(t);
    });
  }
}

/** An archive is taken back out of the trash; what the row relied on until now takes its place there. */
function undoReset(scene: Scene, wish: (name: RequestName, words: string, effect: (t: State) => void) => void): void {
  const { row, trash, objects, gc } = scene.now;
  if (row.deleted || row.error || row.operation !== "NONE" || row.volume !== 0) return;
  for (const { id } of trash) {
    const recorded = gc !== null && "doomed" in gc && gc.doomed === id;
    const content = contentOf(objects, id);
    if (content === undefined || content < 0 || (recorded && scene.rules.undoTestsRecord)) continue;
    wish("undo-reset", `the user takes archive ${id} back out of the trash (ARCHIVED)`, (t) => {
      t.trash = without(t.trash, id);
      if (row.archive !== 0) {
        t.trash = [...t.trash, { id: row.archive, over: false, holds: t.oracle.newest }];
      }
      t.row.archive = id;
      forgetSetup(scene.rules, t.row);
      t.row.desired = "ARCHIVED";
      t.oracle.newest = content;
      newerRequest(t);
    });
  }
}

function recoverMoves(scene: Scene): void {
  const { row, objects, oracle } = scene.now;
  if (row.error) {
    scene.can(
      row.deleted ? "recover.deleted" : "recover",
      () => "a person recovers the workspace from ERROR",
      (t) => {
        t.row.error = false;
        if (row.operation === "NONE") forgetArchiveAttempt(scene.rules, t);
      },
    );
  }
  const archived = contentOf(objects, row.archive);
  if (oracle.diskLost && row.operation === "NONE" && archived !== undefined) {
    scene.can(
      "recover.restore-archive",
      () => `a person accepts the loss and asks for archive ${row.archive} (v${archived})`,
      (t) => {
        t.row.volume = 0;
        t.row.endpoint = 0;
        forgetSetup(scene.rules, t.row);
        t.oracle.diskLost = false;
        t.oracle.newest = archived;
      },
    );
  }
}
