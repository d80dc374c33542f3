import type { ProcessIdentity } from "#core/rules/succession.ts";
import type { ProcessWitness } from "#ports/witness.ts";
import type { Prng } from "./prng.ts";
import type { SimProcess } from "./process.ts";

/** Two process namespaces of one machine and a second machine, where the same names mean something else. */
const PLACES = [
  { bootId: "boot-a", pidNamespace: "pid:[1]" },
  { bootId: "boot-a", pidNamespace: "pid:[2]" },
  { bootId: "boot-b", pidNamespace: "pid:[1]" },
] as const;

/**
 * Where coordinators run. Process numbers are given out from 1 on and used again at once, so that almost everybody has had
 * the number of somebody else, here and on the other machine.
 */
export class Machines {
  readonly #identities: Map<SimProcess, ProcessIdentity> = new Map();
  readonly #homes: readonly (typeof PLACES)[number][];

  constructor(random: Prng) {
    this.#homes = [random.pick(PLACES), random.pick(PLACES), random.pick(PLACES)];
  }

  /** A process comes up in the place of its slot. */
  settle(process: SimProcess, slot: number): void {
    const { bootId, pidNamespace } = this.#homes[slot] ?? PLACES[0];
    const isThere = ([other, at]: [SimProcess, ProcessIdentity]): boolean =>
      other.alive && at.bootId === bootId && at.pidNamespace === pidNamespace;
    const used = new Set([...this.#identities].filter(isThere).map(([, { pid }]) => pid));
    let pid = 1;
    while (used.has(pid)) pid++;
    this.#identities.set(process, {
      machineId: null,
      bootId,
      pidNamespace,
      networkNamespace: "net:[1]",
      timeNamespace: "time:[1]",
      pid,
      startTicks: String(Math.floor(process.clock.monotonicMs() / 10)),
    });
  }

  identityOf(process: SimProcess): ProcessIdentity | null {
    return this.#identities.get(process) ?? null;
  }

  witnessOf(process: SimProcess): ProcessWitness {
    const here = this.identityOf(process);
    return {
      self: async () => here,
      look: async (pid) => {
        for (const [other, at] of this.#identities) {
          const isHere = at.bootId === here?.bootId && at.pidNamespace === here.pidNamespace;
          if (other.alive && isHere && at.pid === pid) return { kind: "somebody", startTicks: at.startTicks };
        }
        return { kind: "nobody" };
      },
    };
  }
}
