import type { PlannedVariable } from "./plan.ts";

/** One word for a POSIX shell, whatever is in it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const valueText = (value: NonNullable<PlannedVariable["value"]>): string =>
  value
    .map((part) => (typeof part === "string" ? quoted(part) : `\${${part.variable}-${quoted(part.fallback)}}`))
    .join("");

/**
 * Lines for a POSIX shell that give whatever it starts next these variables. Before the IDE, those that are for shells
 * only are left out. An assignment of its own for each: as words of `export` some shells would split them.
 */
export function exportLines(environment: readonly PlannedVariable[], isForIde: boolean): readonly string[] {
  return environment
    .filter(({ isForShells }) => !(isForIde && isForShells))
    .map(({ name, value }) => (value === null ? `unset ${name}` : `${name}=${valueText(value)}; export ${name}`));
}
