import { parseArgs } from "node:util";
import type { Command, Given } from "./command.ts";

/** What a line of words means. */
export type Choice =
  | { readonly kind: "run"; readonly command: Command; readonly given: Given }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "wrong"; readonly text: string };

const HELP = /^(?:--help|-h|help)$/;

/** Finds the command that the first words name, and reads the rest as that command has it. */
export function choose(words: readonly string[], commands: readonly Command[]): Choice {
  const command = commands
    .filter(({ name }) => name.split(" ").every((word, at) => words[at] === word))
    .sort((one, other) => other.name.length - one.name.length)[0];
  if (command !== undefined) return read(command, words.slice(command.name.split(" ").length));
  const rest = words.filter((word) => !HELP.test(word));
  const below = commands.filter(({ name }) => rest.length > 0 && name.startsWith(`${rest.join(" ")} `));
  if (rest.length === 0) return { kind: "help", text: overview(commands) };
  if (below.length > 0 && rest.length < words.length) return { kind: "help", text: overview(below) };
  const what = below.length > 0 ? `codehub ${rest.join(" ")} needs another word.` : `codehub knows no "${rest[0]}".`;
  return { kind: "wrong", text: `${what} There is:\n\n${list(below.length > 0 ? below : commands)}` };
}

function read(command: Command, words: readonly string[]): Choice {
  if (words.some((word) => /^(?:--help|-h)$/.test(word))) return { kind: "help", text: helpOf(command) };
  const wrong = (what: string): Choice => ({ kind: "wrong", text: `${what}\n\n${helpOf(command)}` });
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: command.options, allowPositionals: true });
    const missing = command.takes[positionals.length];
    if (missing !== undefined) return wrong(`codehub ${command.name} needs ${missing}.`);
    const extra = positionals[command.takes.length];
    if (extra !== undefined) return wrong(`codehub ${command.name} does not know what to do with "${extra}".`);
    return { kind: "run", command, given: { arguments: positionals, options: values } };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}

const lineOf = ({ name, takes }: Command): string => [name, ...takes].join(" ");

function list(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => lineOf(command).length));
  return commands.map((command) => `  ${lineOf(command).padEnd(width)}  ${command.summary}`).join("\n");
}

const overview = (commands: readonly Command[]): string =>
  `codehub COMMAND\n\n${list(commands)}\n\nEach has --help. All are configured by the variables of the server.`;

function helpOf(command: Command): string {
  const options = Object.keys(command.options).length > 0 ? " [OPTIONS]" : "";
  return `codehub ${lineOf(command)}${options}\n\n${command.help}`;
}
