/** Does something for each of many, a few at a time. */
export async function inTurns<T>(all: Iterable<T>, atOnce: number, work: (one: T) => Promise<unknown>): Promise<void> {
  const next = [...all].values();
  const workers = Array.from({ length: atOnce }, async () => {
    for (const one of next) await work(one);
  });
  await Promise.all(workers);
}
