/**
 * How Node runs the server, so that it takes little memory where nothing is gained by more. V8 would let the space for new
 * objects grow to 64 MB and keep it; requests are as quick with 4. The C library would keep one heap for each thread, of
 * which there are a dozen; they share one.
 */
export const FRUGAL_FLAGS: readonly string[] = ["--max-semi-space-size=2"];

/** Whoever sets a variable of the same name knows better. */
export const frugal = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  MALLOC_ARENA_MAX: "1",
  ...environment,
});
