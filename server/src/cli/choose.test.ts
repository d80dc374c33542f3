import { describe, expect, test } from "vitest";
import { choose } from "./choose.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";

const command = (name: string, takes: readonly string[] = [], options: Command["options"] = {}): Command => ({
  name,
  takes,
  summary: `the summary of ${name}`,
  help: `the help of ${name}`,
  options,
  run: async () => 0,
});

const SOME = [
  command("start"),
  command("backup", ["FILE"], { keys: { type: "string" }, lost: { type: "string", multiple: true } }),
  command("admin reset-password", ["USERNAME"]),
];

describe("what a line of words means", () => {
  test.each<[string, string[], RegExp]>([
    ["nothing at all", [], /start .*\n.*backup FILE .*\n.*admin reset-password USERNAME/],
    ["help", ["--help"], /the summary of start/],
    ["the word help", ["help"], /the summary of start/],
    ["help of a command", ["backup", "--help"], /codehub backup FILE \[OPTIONS\]\n\nthe help of backup/],
    ["help of a command, before what it needs", ["backup", "file", "-h"], /the help of backup/],
    ["help of a group", ["admin", "--help"], /^codehub COMMAND\n\n {2}admin reset-password USERNAME/],
  ])("%s: what there is", (_name, words, text) => {
    expect(choose(words, SOME)).toEqual({ kind: "help", text: expect.stringMatching(text) });
  });

  test.each<[string, string[], RegExp]>([
    ["an unknown word", ["bakcup"], /knows no "bakcup"\. There is:\n\n {2}start /],
    ["half a command", ["admin"], /codehub admin needs another word\. There is:\n\n {2}admin reset-password/],
    ["a group's unknown word", ["admin", "delete"], /knows no "admin"/],
    ["something missing", ["backup"], /codehub backup needs FILE\.\n\ncodehub backup FILE/],
    ["something too much", ["start", "now"], /does not know what to do with "now"/],
    ["an unknown option", ["start", "--now"], /--now[\s\S]*the help of start/],
    ["an option without its value", ["backup", "f", "--keys"], /keys[\s\S]*the help of backup/],
  ])("%s: what is wrong, and what there is", (_name, words, text) => {
    expect(choose(words, SOME)).toEqual({ kind: "wrong", text: expect.stringMatching(text) });
  });

  test("a command with what it takes", () => {
    const words = ["backup", "here.backup", "--keys", "keys", "--lost", "one", "--lost", "two"];
    const given = { arguments: ["here.backup"], options: { keys: "keys", lost: ["one", "two"] } };
    expect(choose(words, SOME)).toMatchObject({ kind: "run", command: SOME[1], given });
    expect(choose(["admin", "reset-password", "mina"], SOME)).toMatchObject({ kind: "run", command: SOME[2] });
  });
});

test("every command explains each of its options", () => {
  for (const { help, options } of COMMANDS)
    for (const option of Object.keys(options)) expect(help).toContain(`--${option}`);
});
