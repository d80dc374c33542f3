import { expect, test } from "vitest";
import { readConfig } from "#config/config.ts";
import { activityFlushMs, allowedImages, coordinatorSettings, runningLimits } from "./settings.ts";

const config = (env: Record<string, string> = {}) => readConfig(env, { isRoot: true, homeDir: "/root" });

test("a user may have 2 workspaces running and all users 100, or what the environment says", () => {
  expect(runningLimits(config())).toEqual({ maxRunningPerUser: 2, maxRunningGlobal: 100 });
  const env = { LIMITS_MAX_RUNNING_PER_USER: "3", LIMITS_MAX_RUNNING_GLOBAL: "7" };
  expect(runningLimits(config(env))).toEqual({ maxRunningPerUser: 3, maxRunningGlobal: 7 });
});

test("the coordinator works with the variables' values, and with their defaults where nothing is set", () => {
  const seconds = { standbyTtlSeconds: 600, archiveTtlSeconds: 1_800 };
  expect(coordinatorSettings(config(), 2, "docker")).toMatchObject({
    idleIntervalMs: 15_000,
    activeIntervalMs: 1_000,
    ttl: seconds,
    ttlIntervalMs: 60_000,
    gcRemovalsPerTick: 200,
    volumeGraceMs: 3_600_000,
    trashRetentionMs: 604_800_000,
    keepVersions: 1,
    maxAttempts: 3,
    minimumBackoffMs: 0,
    stopGraceSeconds: 10,
    timeoutsMs: { STARTING: 300_000, ARCHIVING: 1_800_000 },
  });
  const env = { TTL_ARCHIVE_SECONDS: "8", RECONCILER_STARTING_TIMEOUT: "7", VOLUME_GRACE_SECONDS: "0" };
  expect(coordinatorSettings(config(env), 2, "docker")).toMatchObject({
    ttl: { ...seconds, archiveTtlSeconds: 8 },
    ttlIntervalMs: 2_000,
    volumeGraceMs: 0,
    timeoutsMs: { STARTING: 7_000, STOPPING: 300_000 },
  });
});

test.each([
  ["every 30 s by default", {}, 30_000],
  ["every 30 s where nothing goes to standby", { TTL_STANDBY_SECONDS: "0" }, 30_000],
  ["every 30 s under a long TTL", { TTL_STANDBY_SECONDS: "10800" }, 30_000],
  ["eight times within a short TTL", { TTL_STANDBY_SECONDS: "60" }, 7_500],
])("activity reaches the coordinator %s", (_name, env: Record<string, string>, flushMs) => {
  expect(activityFlushMs(config(env))).toBe(flushMs);
});

const images = (env: Record<string, string>) => allowedImages(config(env));

test("the default image may be used whatever else is listed, and nothing else is where nothing is", () => {
  expect(images({ DEFAULT_IMAGE: "a/b:1" })).toEqual(["a/b:1"]);
  expect(images({ DEFAULT_IMAGE: "a/b:1", IMAGE_ALLOWLIST: "c/*,a/b:1" })).toEqual(["a/b:1", "c/*"]);
  expect(images({ DEFAULT_IMAGE: "a/b:1", IMAGE_ALLOWLIST: "c/d" })).toEqual(["a/b:1", "c/d"]);
});
