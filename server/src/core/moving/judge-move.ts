/** What a deployment was bound to, or what answers now. */
export interface Binding {
  readonly runtimeKind: string | null;
  readonly engineId: string | null;
  readonly storeId: string | null;
}

/** A workspace of which something is on the engine that is to be left. */
export interface HomeThere {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** Its home is on a volume there. */
  readonly hasHome: boolean;
  /** Something is under way, or runs. */
  readonly busy: boolean;
}

export interface MoveFacts {
  readonly bound: Binding;
  readonly found: Binding;
  readonly there: readonly HomeThere[];
  /** Names or ids of workspaces whose homes an operator gives up. */
  readonly lost: readonly string[];
  /** Of the archives that somebody needs, how many the store does not have. */
  readonly missingArchives: number;
}

export type MoveVerdict =
  | { readonly kind: "nothing" }
  | { readonly kind: "missing_archives"; readonly count: number }
  /** These words name no home there, or more than one. */
  | { readonly kind: "unclear"; readonly words: readonly string[] }
  /** These would be left behind. */
  | { readonly kind: "homes_there"; readonly homes: readonly HomeThere[] }
  | { readonly kind: "busy"; readonly homes: readonly HomeThere[] }
  | { readonly kind: "move"; readonly engine: boolean; readonly store: boolean; readonly lost: readonly HomeThere[] };

/** Whether a deployment may leave its engine or store, as it is. A store is left only for one that has all it had. */
export function judgeMove(facts: MoveFacts): MoveVerdict {
  const { bound, found, there, lost, missingArchives } = facts;
  const engine =
    bound.engineId !== null && (bound.engineId !== found.engineId || bound.runtimeKind !== found.runtimeKind);
  const store = bound.storeId !== null && bound.storeId !== found.storeId;
  if (!engine && !store) return { kind: "nothing" };
  if (store && missingArchives > 0) return { kind: "missing_archives", count: missingArchives };
  if (!engine) return { kind: "move", engine, store, lost: [] };
  const homes = there.filter(({ hasHome }) => hasHome);
  const named = (word: string): readonly HomeThere[] => homes.filter(({ id, name }) => id === word || name === word);
  const unclear = lost.filter((word) => named(word).length !== 1);
  if (unclear.length > 0) return { kind: "unclear", words: unclear };
  const givenUp = new Set(lost.flatMap((word) => named(word).map(({ id }) => id)));
  const left = homes.filter(({ id }) => !givenUp.has(id));
  if (left.length > 0) return { kind: "homes_there", homes: left };
  const busy = there.filter((one) => one.busy && !givenUp.has(one.id));
  if (busy.length > 0) return { kind: "busy", homes: busy };
  return { kind: "move", engine, store, lost: homes };
}
