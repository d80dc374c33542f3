import { isStepName, readLine } from "./marker-line.ts";

/**
 * How far a step has come. `already`: it ran well at an earlier start. `skipped`: one before it failed. `partly`: some of it
 * was done, and it is tried again at the next start. `unable`: the image has no program for it.
 */
const STATES = ["running", "done", "failed", "already", "skipped", "partly", "unable"] as const;
export type StepState = (typeof STATES)[number];

export interface StepProgress {
  readonly name: string;
  readonly state: StepState;
  /** Of a step that ended. */
  readonly exitCode: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export interface SetupProgress {
  /** In the order they were heard of. */
  readonly steps: readonly StepProgress[];
  /** There is nothing more to come. */
  readonly isOver: boolean;
}

const KEYS = "at,code,n,run,state,step";
const MOST_STEPS = 100;
const LAST_SECOND = 253_402_300_799;

interface Marker {
  readonly n: number;
  readonly step: string;
  readonly state: StepState | "ready";
  readonly code: number | null;
  /** In seconds. */
  readonly at: number;
}

/**
 * What a container's log says of the steps of one start. Whoever works in the workspace can write such lines, too: they
 * are read strictly, told to its owner only, and decide nothing.
 */
export function readMarkers(lines: Iterable<string>, run: string): SetupProgress {
  const steps = new Map<string, StepProgress>();
  // Of each step for itself: what is done in the IDE is told by another shell, which counts for itself.
  const last = new Map<string, number>();
  let isOver = false;
  for (const line of lines) {
    const marker = readMarker(line, run);
    if (marker === null || marker.n <= (last.get(marker.step) ?? 0) || last.size > MOST_STEPS) continue;
    last.set(marker.step, marker.n);
    if (marker.state === "ready") isOver = true;
    else steps.set(marker.step, progressOf(marker, marker.state, steps.get(marker.step)));
  }
  return { steps: [...steps.values()], isOver };
}

function progressOf({ step, code, at }: Marker, state: StepState, before: StepProgress | undefined): StepProgress {
  const startedAt = state === "running" ? at * 1000 : (before?.startedAt ?? null);
  const endedAt = state === "running" ? null : at * 1000;
  return { name: step, state, exitCode: code, startedAt, endedAt };
}

function readMarker(line: string, run: string): Marker | null {
  const value = readLine(line, run, KEYS);
  if (value === null) return null;
  const { n, step, state, code, at } = value;
  if (typeof n !== "number" || !Number.isSafeInteger(n) || n < 1) return null;
  if (typeof at !== "number" || !Number.isSafeInteger(at) || at < 0 || at > LAST_SECOND) return null;
  if (!isStepName(step)) return null;
  const known = state === "ready" && step === "end" ? state : STATES.find((each) => each === state);
  if (known === undefined || !isCode(code, known)) return null;
  return { n, step, state: known, code, at };
}

const isCode = (code: unknown, state: string): code is number | null =>
  state === "done" || state === "failed"
    ? typeof code === "number" &&
      Number.isInteger(code) &&
      code >= 0 &&
      code <= 255 &&
      (code === 0) === (state === "done")
    : code === null;
