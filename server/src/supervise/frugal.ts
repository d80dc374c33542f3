/**
 * How Node runs the server, so that it takes little memory where nothing is gained by more. V8 would let the space for new
 * objects grow to 64 MB each and keep it; requests are as quick with 16, and slower with 2. The C library would keep one heap for each thread, of
 * which there are a dozen; they share one. And it would learn from a large block that was given back, a password's hash for
 * one, to keep such blocks from then on; told when to give memory back, it does not.
 */
export const FRUGAL_FLAGS: readonly string[] = ["--max-semi-space-size=16"];

/** Whoever sets a variable of the same name knows better. */
export const frugal = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: String(8 * 2 ** 20),
  ...environment,
});
