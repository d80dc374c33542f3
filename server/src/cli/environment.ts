import os from "node:os";
import path from "node:path";
import { type Config, readConfig } from "#config/config.ts";

/** The configuration, read as the server reads it. */
export const configuration = (): Config =>
  readConfig(process.env, { isRoot: process.getuid?.() === 0, homeDir: os.homedir() });

/** A file as the person meant it who typed its name: npm runs us at the top of the clone, and says where it was itself. */
export const fileNamed = (name: string): string => path.resolve(process.env["INIT_CWD"] ?? process.cwd(), name);
