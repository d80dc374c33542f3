const LONGEST = 60;
/** What a terminal or a page would not show as it is. */
const UNSEEN = /[\p{C}\p{Z}]+/gu;

/**
 * A program as people know it, from a command line as the kernel has it, words ended by NUL: what it is and the first
 * thing it was given that is no option, such as `node vite` or `python3 manage.py`. A program may write any title in its
 * place. Null where nothing is left of it.
 */
export function programName(commandLine: string): string | null {
  const [program = "", ...given] = commandLine.split("\0").filter((word) => word !== "");
  const what = given.find((word) => !word.startsWith("-"));
  const name = [program, ...(what === undefined ? [] : [what])].map(lastPart).join(" ").replace(UNSEEN, " ").trim();
  return name === "" ? null : name.slice(0, LONGEST);
}

/** Of a path; a title with blanks in it is none. */
const lastPart = (word: string): string => (/\s/.test(word) ? word : (word.split("/").at(-1) ?? ""));
