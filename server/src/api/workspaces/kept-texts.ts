import type { Ms } from "#core/rows/workspace.ts";

interface Kept {
  readonly stamp: string;
  readonly text: string;
}

export interface KeptLimits {
  /** Of all texts that were asked for since the last turn. Twice as much is the most that is kept. */
  readonly characters: number;
  readonly turnMs: Ms;
}

/**
 * Texts by what they are about, each found only with the stamp that it was kept with. Bounded, and what was not asked for
 * during a whole turn is gone after it: a text is looked for among the new ones, then among those of the turn before,
 * from where it becomes a new one again.
 */
export class KeptTexts {
  readonly #limits: KeptLimits;
  #young = new Map<string, Kept>();
  #old = new Map<string, Kept>();
  #characters = 0;
  #since = Number.NEGATIVE_INFINITY;

  constructor(limits: KeptLimits) {
    this.#limits = limits;
  }

  get(id: string, stamp: string): string | undefined {
    const young = this.#young.get(id);
    if (young !== undefined) return young.stamp === stamp ? young.text : undefined;
    const old = this.#old.get(id);
    if (old?.stamp !== stamp) return undefined;
    this.#add(id, old);
    return old.text;
  }

  keep(id: string, stamp: string, text: string): void {
    this.#add(id, { stamp, text });
  }

  /** To be called now and then, at least before anything is asked for. */
  turn(now: Ms): void {
    const full = this.#characters > this.#limits.characters;
    if (!full && Math.abs(now - this.#since) < this.#limits.turnMs) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#characters = 0;
    this.#since = now;
  }

  #add(id: string, kept: Kept): void {
    this.#characters += kept.text.length - (this.#young.get(id)?.text.length ?? 0);
    this.#young.set(id, kept);
  }
}
