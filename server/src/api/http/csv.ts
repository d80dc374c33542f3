/** What a spreadsheet would take for a formula when it stands first in a cell, also behind blanks. */
const FORMULA = /^[\s\uFEFF]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A cell that is shown as it is and never calculated: names and texts in it were written by people. */
export function csvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  return `"${(FORMULA.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`;
}

/** One line of a file as RFC 4180 has it. */
export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(",")}\r\n`;
