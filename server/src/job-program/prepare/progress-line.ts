import type { PrepareProgress, PrepareStep } from "../prepare-protocol.ts";

const LINE =
  /^(?:remote: )?([A-Z][A-Za-z ]+):\s+(\d{1,3})% \(\d+\/\d+\)(?:, ([\d.]+) ([KMGT]?i?B|bytes)(?: \| ([\d.]+) ([KMGT]?i?B|bytes)\/s)?)?/;
const UNITS: Readonly<Record<string, number>> = {
  bytes: 1,
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
};

/** How much of the time a clone takes is for receiving; putting together what was received is the rest. */
const RECEIVING_PART = 0.9;

/**
 * What one line of git's progress says about a step; null for every other line, also for a phase whose percents would make
 * those of the step fall: what the other side prepares, and one submodule of many.
 */
export function parseProgress(step: PrepareStep, line: string): PrepareProgress | null {
  const [, phase, percent, done, doneUnit, rate, rateUnit] = LINE.exec(line) ?? [];
  if (phase === undefined) return null;
  return {
    step,
    percent: percentOf(step, phase, Math.min(100, Number(percent))),
    doneBytes: amount(done, doneUnit) ?? 0,
    bytesPerSecond: amount(rate, rateUnit),
  };
}

function percentOf(step: PrepareStep, phase: string, percent: number): number | null {
  if (step === "cloning") {
    if (phase === "Receiving objects") return Math.floor(percent * RECEIVING_PART);
    if (phase === "Resolving deltas") return Math.floor(100 * RECEIVING_PART + percent * (1 - RECEIVING_PART));
    return null;
  }
  if (step === "checking_out") return phase === "Updating files" ? percent : null;
  return step === "lfs" ? percent : null;
}

function amount(value: string | undefined, unit: string | undefined): number | null {
  const factor = UNITS[unit ?? ""];
  return value === undefined || factor === undefined ? null : Math.round(Number(value) * factor);
}
