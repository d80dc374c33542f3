import { expect, test } from "vitest";
import { isReserved } from "./kept.ts";

test.each([
  "CODEHUB_FILES",
  "codehub_x",
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "GIT_CONFIG",
  "GIT_CONFIG_COUNT",
  "GIT_CONFIG_SYSTEM",
  "HOME",
  "USER",
  "SHELL",
  "BASH_ENV",
  "IFS",
  "PATH",
  "NODE_OPTIONS",
  "SSH_AUTH_SOCK",
])("%s is refused", (name) => {
  expect(isReserved(name)).toBe(true);
});

test.each(["NPM_TOKEN", "GITHUB_TOKEN", "PORT", "MY_HOME", "HOMEPAGE", "PATHS", "OLD_", "GIT_AUTHOR_NAME"])(
  "%s is not",
  (name) => {
    expect(isReserved(name)).toBe(false);
  },
);
