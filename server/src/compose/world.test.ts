import { expect, test } from "vitest";
import { readConfig } from "#config/config.ts";
import { allowedImages } from "./world.ts";

const images = (env: Record<string, string>) => allowedImages(readConfig(env, { isRoot: true, homeDir: "/root" }));

test("the default image may be used whatever else is listed, and nothing else is where nothing is", () => {
  expect(images({ DEFAULT_IMAGE: "a/b:1" })).toEqual(["a/b:1"]);
  expect(images({ DEFAULT_IMAGE: "a/b:1", IMAGE_ALLOWLIST: "c/*,a/b:1" })).toEqual(["a/b:1", "c/*"]);
  expect(images({ DEFAULT_IMAGE: "a/b:1", IMAGE_ALLOWLIST: "c/d" })).toEqual(["a/b:1", "c/d"]);
});
