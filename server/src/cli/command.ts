import type { ParseArgsOptionsConfig } from "node:util";

/** What was written behind a command's words, once it is known to be allowed. */
export interface Given {
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
}

/** One thing that `codehub` does. */
export interface Command {
  /** What is typed: `admin reset-password`. */
  readonly name: string;
  /** Names of what follows, in capitals; all of them are needed. */
  readonly takes: readonly string[];
  /** One line, for the list of commands. */
  readonly summary: string;
  /** What somebody wants to know before using it. Options are in it, because only there they have a meaning. */
  readonly help: string;
  readonly options: ParseArgsOptionsConfig;
  /** Resolves to the exit code. */
  readonly run: (given: Given) => Promise<number>;
}

/** An option that is there or not. */
export const isGiven = (given: Given, option: string): boolean => given.options[option] === true;

/** An option with a value. */
export function optionOf(given: Given, option: string): string | null {
  const value = given.options[option];
  return typeof value === "string" ? value : null;
}

/** An option that may be there several times. */
export function optionsOf(given: Given, option: string): readonly string[] {
  const value = given.options[option];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
