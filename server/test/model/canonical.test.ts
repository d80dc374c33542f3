import { describe, expect, test } from "vitest";
import { canonical, withNamesOnly } from "./canonical.ts";
import { explore } from "./explore.ts";
import { untested } from "./invariants.ts";
import { HOLES } from "./planted.ts";
import { protocol } from "./protocol.ts";
import { boundsOf, CLOSED_PROTOCOL, type Rules } from "./rules.ts";
import { initialState, put, type State } from "./state.ts";

const closed: Rules = CLOSED_PROTOCOL;

describe("leaving out facts that nobody will look at", () => {
  // Were one of them looked at after all, some hole would be found later, or not at all.
  test.each(HOLES)("does not change how soon $id is found", ({ off, bounds, liveness }) => {
    const rules = { ...closed, ...Object.fromEntries(off.map((rule) => [rule, false])) };
    const system = protocol(rules, boundsOf(bounds), untested());
    const reduced = explore(system, { liveness, limit: 200_000 });
    const full = explore({ ...system, canonical: withNamesOnly }, { liveness, limit: 2_000_000 });
    expect(full.verdict).toBe(reduced.verdict);
    expect(full.trace.length).toBe(reduced.trace.length);
    expect(full.states).toBeGreaterThanOrEqual(reduced.states);
  });
});

describe("names", () => {
  const named = (volume: number, archive: number, old: number): State => {
    const s = initialState(boundsOf({}).left, false);
    s.row.volume = volume;
    s.row.archive = archive;
    s.volumes = put(put([], volume, 2), old, 1);
    s.objects = put([], archive, 1);
    return { ...s, nextId: 20 };
  };

  test("do not tell states apart", () => {
    expect(canonical(closed, named(9, 4, 7))).toEqual(canonical(closed, named(3, 11, 5)));
  });

  test("still tell who refers to whom", () => {
    const swapped = named(9, 4, 7);
    swapped.row.volume = 7;
    expect(canonical(closed, swapped)).not.toEqual(canonical(closed, named(9, 4, 7)));
  });
});
