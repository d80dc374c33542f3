import { expect, it } from "vitest";
import { subnetsIn } from "./connected-subnets.ts";

const ROUTES = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t0100A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
eth0\t0000000A\t0100A8C0\t0003\t0\t0\t0\t000000FF\t0\t0\t0
chw039d-20001\t040012C6\t00000000\t0001\t0\t0\t0\tFCFFFFFF\t0\t0\t0
tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0
`;

it("reads the subnets of interfaces, and neither a default route nor what lies behind a gateway", () => {
  expect(subnetsIn(ROUTES)).toEqual(["192.168.0.0/24", "198.18.0.4/30"]);
});
