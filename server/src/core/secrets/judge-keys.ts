/** A key as it can be spoken of: its name, and by what it is recognised. */
export interface KeyMark {
  readonly id: string;
  readonly check: string;
}

/** One that the database knows. */
export interface KnownKey extends KeyMark {
  readonly seals: boolean;
}

export interface KeyFacts {
  /** In the order of the file; empty where there is none. */
  readonly file: readonly KeyMark[];
  readonly known: readonly KnownKey[];
  /** Other processes of this deployment that have keys are connected. */
  readonly othersRun: boolean;
}

export type KeyVerdict =
  /** What this process would seal others could not open: it must not start. */
  | { readonly kind: "refused"; readonly id: string; readonly why: "missing" | "different" }
  | {
      readonly kind: "usable";
      /** The key that seals from now on; null where nothing can be sealed. */
      readonly seals: string | null;
      /** Not known to the database yet. */
      readonly fresh: readonly KeyMark[];
      /** Of the file: the database knows another key by this name, so nothing is sealed or opened with it. */
      readonly different: readonly string[];
      /** Known and not here: what they sealed stays as it is, and closed. */
      readonly missing: readonly string[];
    };

/**
 * Whether a process may use its key file. While others run, the key that they seal with is the one that seals, and who lacks it is
 * refused; alone, the first of the file does. A key that is lost is no reason not to start: only what it sealed stays closed.
 */
export function judgeKeys({ file, known, othersRun }: KeyFacts): KeyVerdict {
  const knownAs = new Map(known.map((key) => [key.id, key]));
  const isDifferent = ({ id, check }: KeyMark): boolean => (knownAs.get(id)?.check ?? check) !== check;
  const usable = file.filter((key) => !isDifferent(key));
  const has = (id: string): boolean => usable.some((key) => key.id === id);
  const sealing = known.find((key) => key.seals);
  if (othersRun && sealing !== undefined && !has(sealing.id)) {
    const why = file.some((key) => key.id === sealing.id) ? "different" : "missing";
    return { kind: "refused", id: sealing.id, why };
  }
  return {
    kind: "usable",
    seals: (othersRun ? sealing?.id : undefined) ?? usable[0]?.id ?? null,
    fresh: usable.filter((key) => !knownAs.has(key.id)),
    different: file.filter(isDifferent).map((key) => key.id),
    missing: known.filter((key) => !has(key.id)).map((key) => key.id),
  };
}
