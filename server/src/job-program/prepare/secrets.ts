import { readFileSync } from "node:fs";
import { inFiles } from "./git-environment.ts";

/** What git itself never says. A host that was given it could repeat it, and what it says is kept. */
export function secretsIn(files: string | null): string[] {
  const path = inFiles(files, "credentials");
  if (path === null) return [];
  // Host, user and password, a line each.
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.flatMap((password, index) => {
    if (index % 3 !== 2 || password.length < SHORTEST) return [];
    return [password, Buffer.from(`${lines[index - 1]}:${password}`).toString("base64")];
  });
}

const SHORTEST = 4;
