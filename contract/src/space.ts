import { type Static, Type } from "typebox";
import { Count, closed, nullable, Uuid } from "./schema.ts";
import { cacheIds } from "./values.ts";

export const CacheId = Type.Enum([...cacheIds], {
  title: "CacheId",
  description: "What programs keep in a home to be faster and fetch or make again by themselves.",
});
export type CacheId = (typeof cacheIds)[number];

export const ByCache = closed({ id: Uuid, cache: CacheId });

const Path = Type.String({
  description: "Below the home. What cannot be seen in a name, or is not UTF-8, is U+FFFD here.",
});

/** Where the room in a home went. */
export const HomeSpace = closed(
  {
    state: Type.Enum(["seen", "not_running", "not_here"], {
      description:
        "Only a workspace that runs can be looked into, and on Kubernetes none can, because the server may run nothing in a pod.",
    }),
    whole: Type.Boolean({ description: "False: there is more than was seen in the half minute that a look may take." }),
    home_bytes: nullable({
      ...Count,
      description: "All of it; null where not all was seen, or where it is next to nothing.",
    }),
    largest: Type.Array(closed({ path: Path, bytes: Count }), {
      description: "The largest folders and files, at most three levels below the home.",
    }),
    caches: Type.Array(closed({ id: CacheId, folders: Type.Array(Path), bytes: Count }), {
      description: "Those that take a mebibyte or more, the largest first.",
    }),
  },
  { title: "HomeSpace" },
);
export type HomeSpace = Static<typeof HomeSpace>;

export const EmptiedCache = closed(
  {
    whole: Type.Boolean({
      description: "False: something is left, because it took too long or a program is using it.",
    }),
    freed_bytes: nullable({ ...Count, description: "Null where it could not be counted in time." }),
  },
  { title: "EmptiedCache" },
);
export type EmptiedCache = Static<typeof EmptiedCache>;
