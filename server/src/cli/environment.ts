import os from "node:os";
import { type Config, readConfig } from "#config/config.ts";

/** The configuration, read as the server reads it. */
export const configuration = (): Config =>
  readConfig(process.env, { isRoot: process.getuid?.() === 0, homeDir: os.homedir() });
