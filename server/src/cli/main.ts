import { exitCodeOf } from "#supervise/exit-code.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import { choose } from "./choose.ts";
import { COMMANDS } from "./commands.ts";

/** `codehub`: everything an operator does, one program. */
async function main(): Promise<number> {
  // A reader of the output that goes away is no reason to end in the middle of something.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  const choice = choose(process.argv.slice(2), COMMANDS);
  if (choice.kind === "run") return await choice.command.run(choice.given);
  if (choice.kind === "help") {
    console.log(choice.text);
    return EXIT.inOrder;
  }
  console.error(choice.text);
  return EXIT.usage;
}

/** A command that has ended has closed what it opened; whatever still holds the process is not waited for. */
function end(code: number): void {
  process.exitCode = code;
  process.stdout.write("", () => process.exit(code));
}

main().then(end, (error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  end(exitCodeOf(error));
});
