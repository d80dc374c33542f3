/** What a bench found: figures with their unit in the name, and ratios of ours over a peer in the same run; above 1 is better. */
export interface BenchResult {
  readonly metrics: Readonly<Record<string, number>>;
  readonly ratios: Readonly<Record<string, number>>;
}
