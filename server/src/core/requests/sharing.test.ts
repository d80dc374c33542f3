import { describe, expect, test } from "vitest";
import { type Audience, guestSight, MOST_SHARES, type PortShare, type SharingBound, shareRefusal } from "./sharing.ts";

const NOW = 1_800_000_000_000;
const share = (over: Partial<PortShare> = {}): PortShare => ({
  ...{ workspaceId: "w", port: 3_000, audience: "users", expiresAt: null, createdAt: NOW, ...over },
});
const BOUNDS: readonly SharingBound[] = ["off", "users", "public"];

describe("what somebody who is not the owner finds", () => {
  /** For each bound of the operator: off, users, public. */
  const n = "nothing";
  const s = "not_running";
  const o = "open";
  test.each<[Audience | null, "stranger" | "signed in", "asleep" | "running", readonly string[]]>([
    [null, "stranger", "running", [n, n, n]],
    [null, "signed in", "running", [n, n, n]],
    [null, "signed in", "asleep", [n, n, n]],
    ["users", "stranger", "asleep", [n, n, n]],
    ["users", "stranger", "running", [n, n, n]],
    ["users", "signed in", "asleep", [n, s, s]],
    ["users", "signed in", "running", [n, o, o]],
    ["public", "stranger", "asleep", [n, n, s]],
    ["public", "stranger", "running", [n, n, o]],
    ["public", "signed in", "asleep", [n, n, s]],
    ["public", "signed in", "running", [n, n, o]],
  ])("shared with %s, visited by somebody who is a %s, while it is %s", (audience, who, state, found) => {
    const sights = (expiresAt: number | null) =>
      BOUNDS.map((bound) =>
        guestSight({
          share: audience === null ? null : share({ audience, expiresAt }),
          ...{ bound, signedIn: who === "signed in", running: state === "running", now: NOW },
        }),
      );
    expect(sights(null)).toEqual(found);
    expect(sights(NOW + 1)).toEqual(found);
    expect(sights(NOW)).toEqual([n, n, n]);
  });
});

describe("a share that is asked for", () => {
  const workspace = { deletedAt: null };
  const facts = { workspace, shares: [], ownPorts: [8_080], bound: "users" } as const;
  const many = Array.from({ length: MOST_SHARES }, (_, index) => share({ port: 4_000 + index }));
  test.each([
    ["is granted", facts, share(), null],
    ["is one of nothing", { ...facts, workspace: null }, share(), "NOT_FOUND"],
    ["is of a workspace in the trash", { ...facts, workspace: { deletedAt: NOW } }, share(), "DELETED"],
    ["is more than the operator allows", facts, share({ audience: "public" }), "SHARING_OFF"],
    ["is any where none is allowed", { ...facts, bound: "off" }, share(), "SHARING_OFF"],
    ["is less than the operator allows", { ...facts, bound: "public" }, share(), null],
    ["is of the IDE", facts, share({ port: 8_080 }), "OWN_PORT"],
    ["is one more than there may be", { ...facts, shares: many }, share(), "TOO_MANY"],
    ["takes the place of another", { ...facts, shares: many }, share({ port: 4_000 }), null],
  ] as const)("%s", (_, known, wish, refusal) => {
    expect(shareRefusal(known, wish)).toBe(refusal);
  });
});
