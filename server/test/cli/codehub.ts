import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

const MAIN = resolve(import.meta.dirname, "../../src/cli/main.ts");

export interface Ended {
  readonly code: number | null;
  readonly said: string;
  readonly complained: string;
}

/** Runs `codehub` as an operator would, with this environment and nothing of ours. */
export function codehub(environment: Readonly<Record<string, string>>, ...words: string[]): Promise<Ended> {
  return codehubUnder([], environment, ...words);
}

/** The same by a program that changes something around it first. */
export async function codehubUnder(
  around: readonly string[],
  environment: Readonly<Record<string, string>>,
  ...words: string[]
): Promise<Ended> {
  const [program = "", ...args] = [...around, process.execPath, MAIN, ...words];
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"], HOME: "/nonexistent", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  const [said, complained, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, said, complained };
}
