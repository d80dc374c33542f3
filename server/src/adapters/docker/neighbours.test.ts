import { expect, it } from "vitest";
import { behind } from "./neighbours.ts";

const TABLE = `IP address       HW type     Flags       HW address            Mask     Device
198.18.7.210     0x1         0x2         02:42:c6:12:07:d2     *        chw039d-20500
198.18.7.21      0x1         0x2         6a:00:00:00:00:07     *        chw039d-20501
198.18.0.2       0x1         0x0         00:00:00:00:00:00     *        chw039d-20000
198.18.0.6       0x1         0x2         6a:00:00:00:00:01     *        chw039d-20001
198.18.0.6       0x1         0x2         6a:00:00:00:00:02     *        chwffff-20001
192.168.1.1      0x1         0x6         aa:bb:cc:dd:ee:ff     *        eth0
`;

it.each([
  { host: "198.18.7.210", found: ["02:42:c6:12:07:d2"], why: "it answered" },
  { host: "198.18.7.21", found: ["6a:00:00:00:00:07"], why: "a shorter address is not the beginning of a longer one" },
  { host: "198.18.0.2", found: [], why: "it was looked for and did not answer" },
  { host: "198.18.0.6", found: ["6a:00:00:00:00:01", "6a:00:00:00:00:02"], why: "two networks claim it" },
  { host: "192.168.1.1", found: ["aa:bb:cc:dd:ee:ff"], why: "it was set by hand" },
  { host: "198.18.9.9", found: [], why: "nobody asked" },
  { host: "IP", found: [], why: "the head of the table is no neighbour" },
])("behind $host: $why", ({ host, found }) => {
  expect(behind(host, TABLE)).toEqual(found);
});
