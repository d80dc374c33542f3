import { expect, it } from "vitest";
import { parseListening } from "./listening-sockets.ts";

it("reads the kernel's table of both families", () => {
  const header = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
  const tail = "00000000:00000000 00:00000000 00000000  1000        0";
  expect(
    parseListening(
      [
        header,
        `   0: 0100007F:1F90 00000000:0000 0A ${tail} 101 1 0 100 0 0 10 0`,
        `   1: 00000000:0BB8 00000000:0000 0A ${tail} 102 1 0 100 0 0 10 0`,
        `   2: 0100007F:0BB9 0100007F:1F90 01 ${tail} 103 1 0 100 0 0 10 0`,
        `   3: 00000000000000000000000001000000:1389 00000000000000000000000000000000:0000 0A ${tail} 104 1 0 100 0 0 10 0`,
        `   4: 00000000000000000000000000000000:138A 00000000000000000000000000000000:0000 0A ${tail} 105 1 0 100 0 0 10 0`,
        `   5: 0000000000000000FFFF00000100007F:138B 00000000000000000000000000000000:0000 0A ${tail} 106 1 0 100 0 0 10 0`,
        `   6: 0000000000000000FFFF000000000000:138C 00000000000000000000000000000000:0000 0A ${tail} 107 1 0 100 0 0 10 0`,
      ].join("\n"),
    ),
  ).toEqual([
    { inode: "101", uid: 1000, host: "127.0.0.1", everywhere: false, port: 8080 },
    { inode: "102", uid: 1000, host: "127.0.0.1", everywhere: true, port: 3000 },
    { inode: "104", uid: 1000, host: "::1", everywhere: false, port: 5001 },
    { inode: "105", uid: 1000, host: "::1", everywhere: true, port: 5002 },
    { inode: "106", uid: 1000, host: "127.0.0.1", everywhere: false, port: 5003 },
    { inode: "107", uid: 1000, host: "127.0.0.1", everywhere: true, port: 5004 },
  ]);
});
