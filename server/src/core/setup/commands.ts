import { type JsonNode, membersOf, type Notes, within } from "./jsonc.ts";
import type { PlannedCommand, PlannedStep } from "./plan.ts";
import { flat, forShell, substitute, type Variables } from "./variables.ts";

/** In the order they run. */
export const LIFECYCLE = [
  { field: "onCreateCommand", name: "onCreate", runs: "once" },
  { field: "updateContentCommand", name: "updateContent", runs: "once" },
  { field: "postCreateCommand", name: "postCreate", runs: "once" },
  { field: "postStartCommand", name: "postStart", runs: "each_start" },
  { field: "postAttachCommand", name: "postAttach", runs: "each_start" },
] as const;

const LONGEST = 16_384;
const MOST = 20;

export interface CommandContext {
  readonly notes: Notes;
  readonly variables: Variables;
  readonly hash: (text: string) => string;
}

/** The names of marks in the home are made of digests, so they are of plain characters whatever the hash is. */
export const digestOf = (value: unknown, hash: (text: string) => string): string =>
  hash(JSON.stringify(value))
    .replaceAll(/[^0-9A-Za-z]/g, "")
    .slice(0, 32);

/** A text for a shell, a list without one, or several under their names that run at the same time. */
export function readStep(
  { name, runs, field }: (typeof LIFECYCLE)[number],
  node: JsonNode,
  context: CommandContext,
): PlannedStep | null {
  const commands = readCommands(field, node, context);
  if (commands.length === 0) return null;
  return { name, runs, commands, digest: digestOf(commands, context.hash) };
}

function readCommands(field: string, node: JsonNode, context: CommandContext): PlannedStep["commands"] {
  if (node.type !== "object") {
    const command = readCommand(field, node, context);
    return command === null ? [] : [{ name: null, command }];
  }
  const members = membersOf(node, field, context.notes);
  if (members.length > MOST) context.notes.add("too_many", field, node, { max: MOST });
  return members.slice(0, MOST).flatMap(({ key, value }) => {
    const command = readCommand(within(field, key), value, context);
    return command === null ? [] : [{ name: key.replaceAll(/\p{C}/gu, "").slice(0, 60), command }];
  });
}

function readCommand(field: string, node: JsonNode, { notes, variables }: CommandContext): PlannedCommand | null {
  const command = commandOf(node, variables);
  if (command === null) {
    notes.add("not_command", field, node);
    return null;
  }
  const whole = command.kind === "shell" ? command.text : command.args.join(" ");
  if (whole.trim() === "") return null;
  if (whole.length > LONGEST || whole.includes("\0")) {
    notes.add("too_long", field, node, { max: LONGEST });
    return null;
  }
  if (/(^|[\s;&|(])sudo\s/.test(whole)) notes.add("uses_sudo", field, node);
  return command;
}

function commandOf(node: JsonNode, variables: Variables): PlannedCommand | null {
  if (node.type === "string") return { kind: "shell", text: forShell(substitute(String(node.value), variables)) };
  const items = node.type === "array" ? (node.children ?? []) : null;
  if (items === null || items.some(({ type }) => type !== "string")) return null;
  return { kind: "program", args: items.map(({ value }) => flat(substitute(String(value), variables), variables)) };
}
