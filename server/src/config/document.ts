import { VARIABLES } from "./variables.ts";

/** docs/operating/configuration.md, made from the same table the program reads its environment by. */
export function configurationDocument(): string {
  const rows = Object.entries(VARIABLES).map(([name, variable]) => {
    const fallback = variable.fallback === undefined || variable.fallback === "" ? "" : `\`${variable.fallback}\``;
    const secret = variable.secret ? " Secret: never shown or logged." : "";
    return `| \`${name}\` | ${fallback} | ${variable.allowed} | ${variable.doc}${secret} |`;
  });
  return [
    "# Configuration",
    "",
    "CodeHub is configured by environment variables. They are checked at start: a wrong value names the variable, the value",
    "and what is allowed. `node server/src/main.ts --print-config` prints the effective values, secrets masked.",
    "",
    "This page is made from the program's own table (`server/src/config/variables.ts`) by `npm run docs`.",
    "",
    "| variable | default | allowed | meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
