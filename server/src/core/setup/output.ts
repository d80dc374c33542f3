import { isStepName, readLine } from "./marker-line.ts";

/** What a container's log has of the output of one step. */
export interface StepOutput {
  readonly head: Uint8Array;
  /** Where there is more than the beginning. */
  readonly tail: Uint8Array;
  /** Whether something between the two is left out. */
  readonly hasGap: boolean;
}

const KEYS = "data,from,gap,part,run,step";
/** More of them than a step can have was made up. */
const MOST_BYTES = 65_536;
const BASE64 = /^[A-Za-z0-9+/]{1,4000}={0,2}$/;
const PARTS = ["head", "recent", "tail"] as const;

interface Piece {
  readonly part: (typeof PARTS)[number];
  readonly from: number;
  readonly hasGap: boolean;
  readonly bytes: Uint8Array;
}

const NOTHING: Uint8Array = new Uint8Array();

/**
 * The output of one step of one start, from the lines of a container's log. Its beginning may be there twice, because
 * whoever follows a step and whoever shows it at its end do not know of each other; latest words are of no interest once the
 * end is there. Whoever works in the workspace can write such lines, too: they are told to its owner only.
 */
export function readOutput(
  lines: Iterable<string>,
  run: string,
  step: string,
  decode: (base64: string) => Uint8Array,
): StepOutput {
  let head = NOTHING;
  let tail = NOTHING;
  let hasGap = false;
  let isEnd = false;
  for (const line of lines) {
    const piece = readPiece(line, run, step, decode);
    if (piece === null || (isEnd && piece.part === "recent")) continue;
    if (piece.part === "head") head = joined(head, piece);
    else {
      isEnd = piece.part === "tail";
      // A part that begins anew replaces the one before it.
      tail = piece.from === 0 ? piece.bytes : joined(tail, piece);
      hasGap = piece.hasGap;
    }
  }
  return { head, tail, hasGap };
}

function joined(before: Uint8Array, { from, bytes }: Piece): Uint8Array {
  const fresh = bytes.subarray(Math.max(0, before.length - from));
  if (from > before.length || fresh.length === 0 || before.length + fresh.length > MOST_BYTES) return before;
  const all = new Uint8Array(before.length + fresh.length);
  all.set(before);
  all.set(fresh, before.length);
  return all;
}

function readPiece(line: string, run: string, wanted: string, decode: (base64: string) => Uint8Array): Piece | null {
  const value = readLine(line, run, KEYS);
  if (value === null) return null;
  const { step, from, gap, data } = value;
  const part = PARTS.find((each) => each === value["part"]);
  if (part === undefined || !isStepName(step) || step !== wanted) return null;
  if (typeof from !== "number" || !Number.isSafeInteger(from) || from < 0 || from > MOST_BYTES) return null;
  if ((gap !== 0 && gap !== 1) || typeof data !== "string" || !BASE64.test(data)) return null;
  return { part, from, hasGap: gap === 1, bytes: decode(data) };
}

/** Sequences by which programs colour, move and name things on a terminal. */
const ESCAPES = new RegExp(
  [
    String.raw`\u001b\[[0-?]*[ -/]*[@-~]`,
    String.raw`\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?`,
    String.raw`\u001b[ -~]`,
  ].join("|"),
  "g",
);

/** As a person would see it on a terminal in the end: a line that was written over has its last words, and nothing is obeyed. */
export const plainOutput = (text: string): string =>
  text
    .replaceAll(ESCAPES, "")
    .split("\n")
    .map((line) => line.replace(/\r+$/, ""))
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n")
    .replaceAll(/[^\P{C}\n\t]/gu, "");
