/** The only place of the image that knows which files the programs are: CodeHub itself or, where one is named, an operator's command. */
const PROGRAM = "./server/dist/main.js";
const COMMANDS = "./server/dist/cli-main.js";
const RUNTIMES = ["kubernetes", "docker"];
/** A person has to change something first: as the program itself says it (server/src/supervise/exit-codes.ts). */
const CONFIGURATION = 78;

const runtime = process.env.RUNTIME ?? "";
if (!RUNTIMES.includes(runtime)) {
  console.error(
    `RUNTIME=${runtime} is refused in this image: workspaces would be processes of the server's own container, beside its ` +
      "secrets, and their homes would go with it. Set RUNTIME=kubernetes, or RUNTIME=docker with an engine that the container reaches.",
  );
  process.exit(CONFIGURATION);
}
const isCommand = process.argv.length > 2 && process.argv[2] !== "--print-config";
await import(isCommand ? COMMANDS : PROGRAM);
