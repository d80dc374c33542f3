import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Files in this folder that hold the text. */
export function filesWith(folder: string, text: string): string[] {
  const { stdout } = spawnSync("grep", ["-rlaF", "-e", text, folder], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => line !== "");
}

/** Processes of this machine that show the text to whoever lists them. */
export function processesWith(text: string): string[] {
  const shows = (pid: string): boolean =>
    ["cmdline", "environ"].some((file) => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, "latin1").includes(text);
      } catch {
        return false;
      }
    });
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && shows(name));
}
