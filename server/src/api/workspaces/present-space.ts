import type { EmptiedCache, HomeSpace } from "@codehub/contract";
import {
  cachesIn,
  type Emptied,
  freedBytes,
  type HomeLook,
  homeBytesOf,
  largestOf,
  shownPath,
} from "#core/space/home-look.ts";

/** Where nothing was looked into. */
export const UNSEEN: Omit<HomeSpace, "state"> = { whole: false, home_bytes: null, largest: [], caches: [] };

export const presentLook = (look: HomeLook): HomeSpace => ({
  state: "seen",
  whole: look.whole,
  home_bytes: homeBytesOf(look),
  largest: largestOf(look).map(({ path, bytes }) => ({ path: shownPath(path), bytes })),
  caches: cachesIn(look).map(({ id, folders, bytes }) => ({ id, folders: [...folders], bytes })),
});

export const presentEmptied = (emptied: Emptied): EmptiedCache => ({
  whole: emptied.whole,
  freed_bytes: freedBytes(emptied),
});
