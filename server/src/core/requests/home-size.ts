import type { Facts, Mutation } from "#core/rows/mutation.ts";
import type { ArchiveFacts, Workspace } from "#core/rows/workspace.ts";
import type { Failure } from "#core/rules/errors.ts";
import { type Actor, ask, type RequestInput, refuse, type Verdict } from "./requests.ts";

/** Where homes have sizes: what a new one gets, and the most that an owner may ask for. */
export interface HomeSizes {
  readonly newBytes: number;
  readonly ownerMaxBytes: number;
}

export interface GrowWish {
  readonly bytes: number;
  /** An administrator is not bound by what owners may ask for. */
  readonly byAdmin: boolean;
}

/** What the home may hold, as far as somebody asked for it. */
export const homeSizeOf = ({ homeCtx }: Pick<Workspace, "homeCtx">, { newBytes }: HomeSizes): number =>
  Math.max(homeCtx.sizeBytes ?? 0, newBytes);

/** A larger home. No storage makes a disk smaller, so nobody is told that it could. */
export function requestGrow({ row }: RequestInput, wish: GrowWish, sizes: HomeSizes, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  if (wish.bytes <= homeSizeOf(row, sizes)) return refuse("SIZE_NOT_LARGER");
  if (!wish.byAdmin && wish.bytes > sizes.ownerMaxBytes) return refuse("SIZE_ABOVE_LIMIT");
  return ask(row, { kind: "grow_home", bytes: wish.bytes }, actor);
}

/** What came of it: remembered for every later volume of this home, or told in the history. */
export function recordGrowth({ row }: Facts, version: number, refused: Failure | null): Mutation | null {
  const { request } = row;
  if (request?.version !== version || row.requestDone >= version || request.action.kind !== "grow_home") return null;
  const { bytes } = request.action;
  const about = refused === null ? {} : { ...refused.fields, message: refused.message };
  return {
    patch: {
      requestDone: version,
      ...(refused === null ? { homeCtx: { ...row.homeCtx, sizeBytes: bytes } } : {}),
    },
    events: [
      {
        actor: "coordinator",
        kind: refused === null ? "home_grown" : "home_not_grown",
        from: row.phase,
        to: null,
        code: "grow_home",
        details: { ...about, bytes },
      },
    ],
  };
}

const BLOCK = 4096;
const FILE_SYSTEM = 32 * 1024 ** 2;

/** What a volume must hold for this archive to be unpacked into it, with what a file system takes for itself. */
export const roomFor = ({ contentBytes, entryCount }: Pick<ArchiveFacts, "contentBytes" | "entryCount">): number =>
  Math.ceil(contentBytes * 1.1) + entryCount * BLOCK + FILE_SYSTEM;
