import { all } from "@fastify/proxy-addr";
import { expect, test } from "vitest";
import { believed } from "./believed.ts";

/** As the server finds it: the connection's own address, and what stands in the header. */
function client(settings: Parameters<typeof believed>[0], remoteAddress: string | undefined, forwarded: string) {
  const request = { socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } };
  const trust = believed(settings);
  return trust === false ? remoteAddress : all(request as never, trust as (address: string) => boolean).at(-1);
}
const own = { trustedProxies: [], behindOwnProxy: true };
const both = { trustedProxies: ["10.0.0.0/8"], behindOwnProxy: true };
const configured = { trustedProxies: ["10.0.0.0/8"], behindOwnProxy: false };

test.each([
  ["our own proxy tells who connected to it", own, undefined, "192.0.2.7", "192.0.2.7"],
  ["what that client claims is not believed", own, undefined, "198.51.100.1, 192.0.2.7", "192.0.2.7"],
  ["not even on this machine", own, undefined, "198.51.100.1, 127.0.0.1", "127.0.0.1"],
  ["a configured proxy in front of ours is", both, undefined, "198.51.100.1, 10.1.1.1", "198.51.100.1"],
  ["and nobody before it", both, undefined, "203.0.113.9, 198.51.100.1, 10.1.1.1", "198.51.100.1"],
  ["without ours, one that connects itself", configured, "10.1.1.1", "198.51.100.1", "198.51.100.1"],
  ["and nobody else", configured, "192.0.2.7", "198.51.100.1", "192.0.2.7"],
  ["nobody at all", { trustedProxies: [], behindOwnProxy: false }, "192.0.2.7", "198.51.100.1", "192.0.2.7"],
])("where a request comes from: %s", (_name, settings, address, forwarded, expected) => {
  expect(client(settings, address, forwarded)).toBe(expected);
});
