const PREFIX = "\u001ecodehub ";
const LONGEST = 4096;
const NAME = /^\w{1,40}$/;

export const isStepName = (step: unknown): step is string => typeof step === "string" && NAME.test(step);

/** Whether a line is for the program, and says nothing to people. */
export const isMarkerLine = (line: string): boolean => line.startsWith(PREFIX);

/** What a line of a container's log says that is one of ours: of this start, and with these members and no others. */
export function readLine(line: string, run: string, keys: string): Readonly<Record<string, unknown>> | null {
  if (!isMarkerLine(line) || line.length > LONGEST) return null;
  const value = parsed(line.slice(PREFIX.length));
  return value !== null && Object.keys(value).sort().join(",") === keys && value["run"] === run ? value : null;
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
