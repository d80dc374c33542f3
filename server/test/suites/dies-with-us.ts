import { spawnSync } from "node:child_process";

const available = spawnSync("setpriv", ["--version"]).status === 0;

/** The same command, ended by the kernel when the process that started it is gone: a killed run leaves no engine behind. */
export const diesWithUs = (program: string, args: readonly string[]): readonly [string, string[]] =>
  available ? ["setpriv", ["--pdeathsig", "KILL", program, ...args]] : [program, [...args]];
