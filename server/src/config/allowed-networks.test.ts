import { describe, expect, test } from "vitest";
import { NETWORK_POOL } from "#adapters/docker/subnets.ts";
import { type AllowedNetwork, NEVER_ALLOWED, parseAllowedNetworks, reachWarnings } from "./allowed-networks.ts";
import { ConfigError, describeConfig, readConfig } from "./config.ts";

const around = { isRoot: false, homeDir: "/home/somebody" };
function one(text: string) {
  const { networks, problems } = parseAllowedNetworks(text);
  expect(problems).toEqual([]);
  expect(networks).toHaveLength(1);
  return networks[0];
}

const warnings = (networks: readonly AllowedNetwork[], localWorkspaces = false) =>
  reachWarnings({ WORKSPACE_ALLOWED_NETWORKS: networks, localWorkspaces });

describe("networks that workspaces may reach", () => {
  test.each([
    ["10.20.0.0/16:443", "tcp", "10.20.0.0/16", { from: 443, to: 443 }],
    ["10.30.1.7:22", "tcp", "10.30.1.7/32", { from: 22, to: 22 }],
    ["10.30.1.7:8000-8100", "tcp", "10.30.1.7/32", { from: 8000, to: 8100 }],
    ["10.30.1.7", "tcp", "10.30.1.7/32", null],
    ["192.168.0.0/16", "tcp", "192.168.0.0/16", null],
    ["tcp:10.30.1.7:22", "tcp", "10.30.1.7/32", { from: 22, to: 22 }],
    ["udp:10.30.1.7:123", "udp", "10.30.1.7/32", { from: 123, to: 123 }],
    ["fd00:12::/64:443", "tcp", "fd00:12::/64", { from: 443, to: 443 }],
    ["udp:fd00:12::/64", "udp", "fd00:12::/64", null],
    ["[fd00:12::7]:443", "tcp", "fd00:12::7/128", { from: 443, to: 443 }],
    ["[fd00:12::7]", "tcp", "fd00:12::7/128", null],
    ["[FD00:12:0:0::]/64:1-65535", "tcp", "fd00:12::/64", { from: 1, to: 65_535 }],
    ["fd00:12::0:7/128:443", "tcp", "fd00:12::7/128", { from: 443, to: 443 }],
  ] as const)("%s", (text, protocol, network, ports) => {
    expect(one(text)).toEqual({ text, protocol, network, ports, except: [] });
  });

  test.each([
    ["git.example.org:22", "names are not taken"],
    ["10.20.0.0/33", "no such address"],
    ["10.20.0/16", "no such address"],
    ["010.1.1.1", "no such address"],
    ["10.20.1.0/16:443", "the network would be 10.20.0.0/16"],
    ["fd00:12::7/64", "the network would be fd00:12::/64"],
    ["fd00:12::7:443", "stands in brackets"],
    ["fd00:12::7", "stands in brackets"],
    ["fe80::1%eth0/64", "no such address"],
    ["10.30.1.7:0", "a port is"],
    ["10.30.1.7:", "a port is"],
    ["10.30.1.7:https", "a port is"],
    ["10.30.1.7:65536", "a port is"],
    ["10.30.1.7:90-80", "a port is"],
    ["sctp:10.30.1.7:90", "no such address"],
    ["169.254.169.254:80", "in 169.254.0.0/16 is link-local"],
    ["169.254.0.0/16", "metadata"],
    ["100.100.100.200:80", "metadata"],
    ["[fd00:ec2::254]:80", "metadata"],
    ["[fd20:ce::254]:80", "metadata"],
    ["[::ffff:169.254.169.254]:80", "IPv4 in other clothes"],
    ["[64:ff9b::a9fe:a9fe]:80", "IPv4 in other clothes"],
    ["[::1]:80", "loopback"],
    ["127.0.0.1:5432", "loopback"],
    ["198.18.4.2:8080", "the workspaces' own networks"],
    ["0.0.0.0:80", "no machine"],
  ])("%s is a mistake, and says which", (entry, words) => {
    const { networks, problems } = parseAllowedNetworks(`10.9.9.9:1,${entry}`);
    expect(networks).toHaveLength(1);
    expect(problems).toEqual([expect.stringContaining(`${entry}: `)]);
    expect(problems[0]).toContain(words);
  });

  test("what is never allowed is cut out of a wider network, and told", () => {
    expect(one("100.64.0.0/10:443")?.except).toEqual(["100.100.100.200/32"]);
    expect(one("fc00::/7:443")?.except).toEqual(["fd00:ec2::/32", "fd20:ce::254/128"]);
    const all = parseAllowedNetworks("0.0.0.0/0,::/0:443").networks;
    expect(all.flatMap(({ except }) => except)).toHaveLength(NEVER_ALLOWED.length);
    expect(warnings(all.slice(1))[0]).toMatch(/lists ::\/0:443: .*fd00:ec2::\/32.* stays refused/);
    const plain = parseAllowedNetworks("10.0.0.0/8").networks;
    expect(warnings(plain)).toEqual([]);
    expect(warnings(plain, true)).toEqual([expect.stringContaining("changes nothing here")]);
    expect(warnings([], true)).toEqual([]);
  });

  test("the pool of workspaces' networks is among what is never allowed", () => {
    expect(NEVER_ALLOWED.map(([network]) => network)).toContain(NETWORK_POOL);
  });

  test("every mistake is told at the start, and nothing starts with one", () => {
    const wrong = "10.30.1.7:x,169.254.169.254:80";
    expect(() => readConfig({ WORKSPACE_ALLOWED_NETWORKS: wrong }, around)).toThrow(ConfigError);
    expect(() => readConfig({ WORKSPACE_ALLOWED_NETWORKS: wrong }, around)).toThrow(
      /WORKSPACE_ALLOWED_NETWORKS is not allowed: 10\.30\.1\.7:x: a port is .*\n.*169\.254\.169\.254:80: never allowed/,
    );
    const right = readConfig({ WORKSPACE_ALLOWED_NETWORKS: " 10.30.1.7:22 ,fd00:12::/64:443" }, around);
    expect(describeConfig(right)["WORKSPACE_ALLOWED_NETWORKS"]).toBe("10.30.1.7:22,fd00:12::/64:443");
    expect(describeConfig(readConfig({}, around))["WORKSPACE_ALLOWED_NETWORKS"]).toBe("");
  });

  test.each([
    [{ DATABASE_URL: "postgres://u:p@10.1.1.1/d" }, "10.1.1.1:5432", "DATABASE_URL"],
    [{ DATABASE_URL: "postgres://u:p@10.1.1.1:6432/d" }, "10.1.1.1/32:6432", "DATABASE_URL"],
    [{ REDIS_URL: "redis://[fd00:1::1]" }, "[fd00:1::1]:6379", "REDIS_URL"],
    [{ DOCKER_HOST: "tcp://10.1.1.2:2376" }, "10.1.1.2:2376", "DOCKER_HOST"],
    [{ KUBERNETES_SERVICE_HOST: "10.96.0.1" }, "10.96.0.1:443", "KUBERNETES_SERVICE_HOST"],
  ])("a part of the control plane cannot be listed: %j", (env, entry, variable) => {
    const listing = (text: string) => () => readConfig({ ...env, WORKSPACE_ALLOWED_NETWORKS: text }, around);
    expect(listing(entry)).toThrow(`lists ${entry}, which is ${variable}`);
    expect(listing("10.0.0.0/8,fd00:1::/64")).not.toThrow();
    expect(listing(entry.replace(/\d+$/, "1"))).not.toThrow();
  });
});
