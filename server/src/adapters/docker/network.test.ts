import { expect, it } from "vitest";
import { containerIn, freeSubnet, subnetOf } from "./subnets.ts";

it("gives every port a network of its own inside the pool", () => {
  expect(subnetOf(0)).toBe("198.18.0.0/30");
  expect(subnetOf(1)).toBe("198.18.0.4/30");
  expect(subnetOf(64)).toBe("198.18.1.0/30");
  expect(subnetOf(32_767)).toBe("198.19.255.252/30");
  expect(new Set(Array.from({ length: 32_768 }, (_, index) => subnetOf(index))).size).toBe(32_768);
});

it("leaves one address of it to the container", () => {
  expect(containerIn(subnetOf(0))).toBe("198.18.0.2");
  expect(containerIn(subnetOf(32_767))).toBe("198.19.255.254");
});

it("finds the next network that nobody uses, also where somebody has a wider one", () => {
  expect(freeSubnet(7, [])).toBe(subnetOf(7));
  expect(freeSubnet(7, [subnetOf(7), subnetOf(8), "172.17.0.0/16", "fd00::/64"])).toBe(subnetOf(9));
  expect(freeSubnet(7, ["198.18.0.0/24"])).toBe("198.18.1.0/30");
  expect(freeSubnet(32_767, [subnetOf(32_767)])).toBe(subnetOf(0));
  expect(freeSubnet(7, ["198.18.0.29/32"])).toBe(subnetOf(8));
  expect(freeSubnet(7, ["198.18.0.0/15"])).toBeNull();
});
