import { execFileSync } from "node:child_process";
import { inFiles } from "./git-environment.ts";

/** The environment with what an operator says of the network: proxies and trusted certificates, as a start's own shell has them. */
export function surrounded(files: string | null): NodeJS.ProcessEnv {
  const path = inFiles(files, "surroundings");
  if (path === null) return process.env;
  const said = execFileSync("sh", ["-c", '. "$0" && exec env -0', path], { encoding: "utf8" });
  const lines = said.split("\0").filter((line) => line.includes("="));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}
