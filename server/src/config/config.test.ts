import fs from "node:fs";
import { CreateUser } from "@codehub/contract";
import { Compile } from "typebox/compile";
import { describe, expect, test } from "vitest";
import { addressesOf, ConfigError, describeConfig, readConfig } from "./config.ts";
import { configurationDocument } from "./document.ts";

const around = { isRoot: false, homeDir: "/home/somebody" };
function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env, around);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe("configuration", () => {
  test("is complete and frozen without any variable", () => {
    const config = readConfig({}, around);
    expect(config.PORT).toBe(8000);
    expect(config.DATA_DIR).toBe("/home/somebody/.local/share/codehub");
    expect(config.ROLES).toEqual(["api", "proxy", "coordinator"]);
    expect(Object.isFrozen(config)).toBe(true);
    expect(readConfig({}, { ...around, isRoot: true }).DATA_DIR).toBe("/var/lib/codehub");
  });

  test("leaves people at work more time than those who try it out, unless it is told otherwise", () => {
    const ttls = (env: Record<string, string>) => {
      const { TTL_STANDBY_SECONDS, TTL_ARCHIVE_SECONDS } = readConfig(env, around);
      return [TTL_STANDBY_SECONDS, TTL_ARCHIVE_SECONDS];
    };
    expect(ttls({})).toEqual([600, 1_800]);
    expect(ttls({ NODE_ENV: "development" })).toEqual([600, 1_800]);
    expect(ttls({ NODE_ENV: "production" })).toEqual([10_800, 86_400]);
    expect(ttls({ NODE_ENV: "production", TTL_STANDBY_SECONDS: "60" })).toEqual([60, 86_400]);
  });

  test("has addresses for the port that is listened on, unless they are given", () => {
    const given = { BASE_URL: "https://hub.example.com", WORKSPACE_BASE_URL: "https://{id}.ws-example.net" };
    expect(addressesOf(readConfig({ PORT: "0" }, around), 4321)).toEqual({
      baseUrl: "http://localhost:4321",
      workspaceBaseUrl: "http://{id}.localhost:4321",
    });
    expect(addressesOf(readConfig(given, around), 4321)).toEqual({
      baseUrl: given.BASE_URL,
      workspaceBaseUrl: given.WORKSPACE_BASE_URL,
    });
  });

  test.each([
    [{ PORT: "eighty" }, "PORT=eighty is not allowed: it must be a whole number from 0 to 65535."],
    [{ RUNTIME: "podman" }, "RUNTIME=podman is not allowed: it must be one of auto, process, docker, kubernetes."],
    [
      { ROLES: "api,cook" },
      "ROLES=api,cook is not allowed: it must be a comma-separated list of all, api, proxy, coordinator.",
    ],
    [
      { BASE_URL: "https://x.example/path" },
      "BASE_URL=https://x.example/path is not allowed: it must be an http or https address without a path.",
    ],
    [
      { DATABASE_URL: "mysql://u:p@h/d" },
      "DATABASE_URL=(hidden) is not allowed: it must be an address that begins with postgres:// or postgresql://.",
    ],
    [
      { WORKSPACE_EXTENSIONS_GALLERY: '{"serviceUrl":"file:///etc"}' },
      'WORKSPACE_EXTENSIONS_GALLERY={"serviceUrl":"file:///etc"} is not allowed: it must be JSON with an http or https address as `serviceUrl`.',
    ],
    [
      { WORKSPACE_EXTENSIONS_GALLERY: "https://vsx.example.org" },
      "WORKSPACE_EXTENSIONS_GALLERY=https://vsx.example.org is not allowed: it must be JSON with an http or https address as `serviceUrl`.",
    ],
    [
      { WORKSPACE_MEMORY: "4GB" },
      "WORKSPACE_MEMORY=4GB is not allowed: it must be a number of bytes, or one with K, M or G.",
    ],
  ])("names the variable, the value and what is allowed: %j", (env, message) => {
    expect(problemsOf(env)).toContain(message);
  });

  test.each(["admin", "Admin", "a", "a".repeat(40), "a".repeat(41), ".a", "a.b-c_d", "a b", "é1", ""])(
    "takes as the first admin's name what the API takes as anybody's: %j",
    (name) => {
      const allowed = Compile(CreateUser).Check({ username: name });
      // Set to nothing it is not set, and has its default.
      expect(problemsOf({ ADMIN_USERNAME: name })).toHaveLength(allowed || name === "" ? 0 : 1);
    },
  );

  test("tells everything that is wrong at once", () => {
    expect(problemsOf({ PORT: "x", LOG_LEVEL: "loud" })).toHaveLength(2);
  });

  test("refuses workspaces of the dashboard's own site unless that is accepted, or none are served there", () => {
    const env = { BASE_URL: "https://hub.example.com", WORKSPACE_BASE_URL: "https://{id}.ws.example.com" };
    const [problem] = problemsOf(env);
    expect(problem).toContain("WORKSPACE_BASE_URL=https://{id}.ws.example.com shares a site");
    expect(problem).toMatch(/another registered domain, or .* ALLOW_SAME_SITE=1/);
    expect(problemsOf({ ...env, ALLOW_SAME_SITE: "1" })).toEqual([]);
    expect(problemsOf({ ...env, UNSAFE_SINGLE_ORIGIN: "1" })).toEqual([]);
    expect(problemsOf({ ...env, WORKSPACE_BASE_URL: "https://{id}.ws-example.net" })).toEqual([]);
    expect(problemsOf({ BASE_URL: "https://hub.example.com" })).toEqual([]);
  });

  test.each([
    [{ KUBERNETES_NAMESPACE: "Team_A" }, "KUBERNETES_NAMESPACE=Team_A is not allowed"],
    [{ KUBERNETES_NAMESPACE: "a".repeat(64) }, "lower-case letters"],
    [{ KUBERNETES_STORE_NETWORKS: "10.0.0.0" }, "networks like 10.0.0.0/8"],
    [{ KUBERNETES_STORE_NETWORKS: "10.0.0.0/33" }, "networks like 10.0.0.0/8"],
    [{ KUBERNETES_SERVER_NETWORKS: "10.0.0.0/8,fd00::/129" }, "networks like 10.0.0.0/8"],
    [{ KUBERNETES_NODE_SELECTOR: "pool" }, "labels like pool=workspaces"],
    [{ KUBERNETES_NODE_SELECTOR: "-a=b" }, "labels like pool=workspaces"],
    [{ KUBERNETES_TOLERATIONS: "pool=a:Never" }, "taints like pool=workspaces:NoSchedule"],
    [{ KUBERNETES_ACCESS_MODE: "ReadWriteMany" }, "one of ReadWriteOncePod, ReadWriteOnce"],
    [{ KUBERNETES_REQUEST_CPUS: "3" }, "must not be above WORKSPACE_CPUS=2"],
    [{ KUBERNETES_REQUEST_MEMORY: "5G" }, "must not be above WORKSPACE_MEMORY"],
    [{ RUNTIME: "kubernetes" }, "set S3_BUCKET"],
  ])("for Kubernetes says what is wrong: %j", (env, message) => {
    expect(problemsOf(env)).toEqual([expect.stringContaining(message)]);
  });

  test("for Kubernetes reads labels and taints as kubectl writes them, and shows them", () => {
    const config = readConfig(
      {
        KUBERNETES_NODE_SELECTOR: "pool=workspaces, kubernetes.io/arch=amd64",
        KUBERNETES_TOLERATIONS: "pool=workspaces:NoSchedule,spot:NoExecute,example.net/any",
      },
      around,
    );
    expect(config.KUBERNETES_NODE_SELECTOR).toEqual({ pool: "workspaces", "kubernetes.io/arch": "amd64" });
    expect(config.KUBERNETES_TOLERATIONS).toEqual([
      { key: "pool", operator: "Equal", value: "workspaces", effect: "NoSchedule" },
      { key: "spot", operator: "Exists", effect: "NoExecute" },
      { key: "example.net/any", operator: "Exists" },
    ]);
    expect(describeConfig(config)["KUBERNETES_NODE_SELECTOR"]).toContain('"pool":"workspaces"');
  });

  test("for Kubernetes takes networks of both families", () => {
    const { KUBERNETES_STORE_NETWORKS } = readConfig({ KUBERNETES_STORE_NETWORKS: "10.1.0.0/16, fd00::/8" }, around);
    expect(KUBERNETES_STORE_NETWORKS).toEqual(["10.1.0.0/16", "fd00::/8"]);
  });

  test("does not let one process of several run on a database of its own; they hear each other through a shared one", () => {
    expect(problemsOf({ ROLES: "api" })).toEqual([expect.stringContaining("DATABASE_URL must be set")]);
    expect(problemsOf({ ROLES: "api", DATABASE_URL: "postgres://u@h/d" })).toEqual([]);
  });

  test("a socket between proxy and API is for those that are one of the two", () => {
    const apart = { DATABASE_URL: "postgres://u@h/d", CONTROL_SOCKET: "/run/codehub/control" };
    for (const roles of ["proxy", "api", "api,coordinator", "proxy,coordinator"])
      expect(problemsOf({ ...apart, ROLES: roles })).toEqual([]);
    for (const roles of ["all", "api,proxy", "coordinator"])
      expect(problemsOf({ ...apart, ROLES: roles })).toEqual([expect.stringContaining("both or neither")]);
    expect(problemsOf({ ...apart, ROLES: "api", CONTROL_SOCKET: "relative" })).toHaveLength(1);
  });

  test("never shows a secret", () => {
    const config = readConfig({ DATABASE_URL: "postgres://u:canary@h/d", ADMIN_PASSWORD: "canary" }, around);
    expect(JSON.stringify(describeConfig(config))).not.toContain("canary");
  });

  test("is documented as it is: docs/operating/configuration.md comes from the same table (npm run docs)", () => {
    const path = new URL("../../../docs/operating/configuration.md", import.meta.url);
    expect(fs.readFileSync(path, "utf8")).toBe(configurationDocument());
  });
});
