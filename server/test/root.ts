export const asRoot = process.getuid?.() === 0;

/** Whether what needs root's rights can be tested. Where it cannot, CI fails, and everybody else is told. */
export function mayActAsRoot(what: string): boolean {
  if (!asRoot && process.env["CI"] !== undefined) throw new Error(`CI runs as root: ${what} needs its rights`);
  if (!asRoot) console.log(`Skipped: ${what}. Enable it by running the tests as root.`);
  return asRoot;
}
