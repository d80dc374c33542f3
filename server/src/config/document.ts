import type { Variable } from "./variable.ts";
import { VARIABLES } from "./variables.ts";

/** docs/operating/configuration.md, made from the same table the program reads its environment by. */
export function configurationDocument(): string {
  const rows = Object.entries<Variable<unknown>>(VARIABLES).map(([name, variable]) => {
    const usual = variable.fallback === undefined || variable.fallback === "" ? "" : `\`${variable.fallback}\``;
    const fallback =
      variable.inProduction === undefined ? usual : `${usual}, in production \`${variable.inProduction}\``;
    const secret = variable.secret ? " Secret: never shown or logged." : "";
    return `| \`${name}\` | ${fallback} | ${variable.allowed} | ${variable.doc}${secret} |`;
  });
  return [
    "# Configuration",
    "",
    "CodeHub is configured by environment variables. They are checked at start: a wrong value names the variable, the value",
    "and what is allowed. `node server/src/main.ts --print-config` prints the effective values, secrets masked.",
    "",
    "In production means `NODE_ENV=production`, which the server's image sets: the other defaults are for trying out, where one wants to see things happen.",
    "",
    "This page is made from the program's own table (`server/src/config/variables.ts`) by `npm run docs`.",
    "",
    "| variable | default | allowed | meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
