/**
 * How Node runs our programs, so that they take little memory where nothing is gained by more. V8 would let the space for
 * new objects grow to 64 MB each and keep it. Requests to workspaces are as quick with 16, and slower with 2; for the server
 * 2 are enough. And each may be told to collect when its work is over.
 */
export const flagsFor = (roles: readonly string[]): readonly string[] => [
  `--max-semi-space-size=${roles.includes("proxy") ? 16 : 2}`,
  "--expose-gc",
];

/**
 * The C library would keep one heap for each thread, of which there are a dozen; they share one. And it would learn from a
 * large block that was given back, a password's hash for one, to keep such blocks from then on; told when to give memory
 * back, it does not. Whoever sets a variable of the same name knows better.
 */
export const frugal = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: String(8 * 2 ** 20),
  ...environment,
});
