/** What one scenario found. A violation is whatever does not hold that should. */
export interface Outcome {
  readonly name: string;
  /** What was done to the system, in words. */
  readonly did: string;
  readonly saw: readonly string[];
  /** How many homes were compared byte for byte with what they were. */
  readonly homes: number;
  readonly seconds: number;
  readonly violation: string | null;
}

export interface Proof {
  /** What each does, by its name. */
  readonly scenarios: Readonly<Record<string, string>>;
  readonly run: (
    names: readonly string[],
    tell: (line: string) => void,
    signal: AbortSignal,
  ) => Promise<readonly Outcome[]>;
}

const COLUMNS = ["scenario", "done", "seen", "homes compared", "seconds", "held"] as const;

/** A table as our pages have them, so that a report can be kept as it is. */
export function tableOf(name: string, outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ name: scenario, did, saw, homes, seconds, violation }) => [
    scenario,
    did,
    saw.join("; "),
    String(homes),
    seconds.toFixed(0),
    violation === null ? "yes" : `NO: ${violation}`,
  ]);
  const lines = [COLUMNS, COLUMNS.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`);
  const failed = outcomes.filter(({ violation }) => violation !== null).length;
  return [`# ${name}`, "", ...lines, "", `${outcomes.length - failed} held, ${failed} did not`, ""].join("\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
