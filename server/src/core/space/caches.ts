/**
 * What programs keep in a home to be faster, fetch or make again by themselves, and expect to be gone at any time. Nothing
 * is in this table that somebody may have put there, that files outside are links into, or that is not fetched again by
 * the next use. Each is a folder below the home.
 */
export const CACHES = [
  { id: "npm", folders: [".npm/_cacache"] },
  { id: "yarn", folders: [".cache/yarn"] },
  { id: "pip", folders: [".cache/pip"] },
  // Beside them lie environments that are somebody's.
  { id: "poetry", folders: [".cache/pypoetry/cache", ".cache/pypoetry/artifacts"] },
  { id: "go_build", folders: [".cache/go-build"] },
  { id: "go_modules", folders: ["go/pkg/mod"] },
  { id: "cargo", folders: [".cargo/registry/cache", ".cargo/registry/src", ".cargo/git/checkouts"] },
  { id: "gradle", folders: [".gradle/caches"] },
  { id: "composer", folders: [".cache/composer"] },
] as const satisfies readonly { readonly id: string; readonly folders: readonly string[] }[];

export type CacheId = (typeof CACHES)[number]["id"];

export const CACHE_FOLDERS: readonly string[] = CACHES.flatMap(({ folders }) => folders);

export const foldersOf = (cache: CacheId): readonly string[] =>
  CACHES.filter(({ id }) => id === cache).flatMap(({ folders }) => folders);
