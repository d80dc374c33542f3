import type { DestinationStream } from "pino";

/** For machines only; the JSON lines have them. */
const LEFT_OUT: ReadonlySet<string> = new Set(["level", "time", "msg", "epoch", "opId", "requestId", "holder"]);
const UUID = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** What a terminal would obey. A field may hold anything, also the last words of a workspace's program. */
const CONTROL = /\p{Cc}/gu;
const harmless = (text: string): string =>
  text.replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);

/** "attempt failed  workspace=308e21a2 error=…": the message, then the fields a person can use, ids by their beginning. */
export function readableLine(fields: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(fields)
    .filter(([name, value]) => !LEFT_OUT.has(name) && value !== null)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`.replace(UUID, "$1"));
  return harmless([fields["msg"], words.join(" ")].filter(Boolean).join("  "));
}

/** For people at a terminal: local time, level and one readable line, in colour where NO_COLOR does not object. */
export async function readableLog(output: NodeJS.WritableStream): Promise<DestinationStream> {
  // Only a terminal needs it, so only there it costs memory.
  const { default: pretty } = await import("pino-pretty");
  return pretty({
    destination: output,
    sync: true,
    hideObject: true,
    errorLikeObjectKeys: [],
    translateTime: "SYS:HH:MM:ss",
    messageFormat: readableLine,
  });
}
