import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawAddress, isAddress, LONGEST_ADDRESS, nameInHosts } from "./address.ts";

const UUID = "8e1f5a90-7c1b-4d2e-9f3a-0123456789ab";
const ENDING = drawAddress("x", UUID).slice(2);

describe("an address in words", () => {
  test.each([
    ["payments-api", "payments-api"],
    ["Payments API", "payments-api"],
    ["  Größe & Ärger!  ", "gro-e-arger"],
    ["日本語", "workspace"],
    ["日本 api", "api"],
    ["💥", "workspace"],
    ["", "workspace"],
    ["xn--bcher-kva", "xn-bcher-kva"],
    ["a--b", "a-b"],
    ["-dashes-", "dashes"],
    ["probe", "ws-probe"],
    ["WWW", "ws-www"],
    ["www shop", "www-shop"],
    ["3000", "ws-3000"],
    ["3000--api", "ws-3000-api"],
    ["2fast", "2fast"],
    [UUID, `ws-${UUID}`],
    ["a".repeat(100), "a".repeat(43)],
    [`${"a".repeat(42)} b`, "a".repeat(42)],
  ])("of %j", (name, words) => {
    expect(drawAddress(name, UUID)).toBe(`${words}-${ENDING}`);
  });

  test("of any name is a label of a host name in which it can be read in one way, also with a port", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 120 }), fc.uuid({ version: 4 }), (name, uuid) => {
        const label = drawAddress(name, uuid);
        expect(isAddress(label)).toBe(true);
        expect(label.length).toBeLessThanOrEqual(LONGEST_ADDRESS);
        expect(`65535--${label}`).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/);
        expect(label).not.toMatch(/--|^[0-9]+-|^[0-9a-f]{8}-[0-9a-f]{4}-/);
      }),
    );
  });

  test("ends as the last bits of the UUID say, in 27 to the power of 6 ways", () => {
    const endings = Array.from({ length: 27 ** 3 }, (_, n) =>
      drawAddress("api", `8e1f5a90-7c1b-4d2e-9f3a-${(n * 27 ** 3).toString(16).padStart(12, "0")}`),
    );
    expect(new Set(endings).size).toBe(27 ** 3);
    expect(drawAddress("api", UUID.replace("ab", "ac"))).not.toBe(drawAddress("api", UUID));
  });

  test.each([
    ["api-bcdf23", true],
    ["bcdf23", false],
    ["api-bcdf2", false],
    ["api-bcdf2a", false],
    ["api--bcdf23", false],
    ["-api-bcdf23", false],
    ["Api-bcdf23", false],
    ["3000--api-bcdf23", false],
    ["3000-api-bcdf23", false],
    ["1a2b3c4d-5e6f-bcdf23", false],
    ["2fast-bcdf23", true],
    [`${"a".repeat(44)}-bcdf23`, false],
    ["probe", false],
    ["www", false],
    [UUID, false],
    ["11111111-1111-4111-8111-222222222222", false],
  ])("%s: %s", (label, is) => {
    expect(isAddress(label)).toBe(is);
  });

  test("stands for its workspace in host names, and the id for one that has none", () => {
    expect(nameInHosts({ id: UUID, address: "api-bcdf23" })).toBe("api-bcdf23");
    expect(nameInHosts({ id: UUID, address: null })).toBe(UUID);
  });
});
