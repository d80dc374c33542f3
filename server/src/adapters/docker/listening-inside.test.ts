import { expect, it } from "vitest";
import { readLook } from "./listening-inside.ts";

const socket = (port: number, uid: number, inode: number, host = "0100007F") =>
  `   0: ${host}:${port.toString(16).padStart(4, "0").toUpperCase()} 00000000:0000 0A 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0000000000000000 100 0 0 10 0`;
const holds = (pid: number, inode: number) => [
  `/proc/${pid}/fd:`,
  "total 0",
  `lrwx------ 1 coder coder 64 Nov 18 19:00 3 -> socket:[${inode}]`,
];
const command = (pid: number, ...words: string[]) => [`==> /proc/${pid}/cmdline <==`, `${words.join("\0")}\0`];

const SAID = [
  "1000",
  "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
  socket(5_173, 1_000, 11),
  socket(3_000, 1_000, 12),
  socket(3_000, 1_000, 13, "0200000A"),
  socket(41_234, 0, 14, "0B00007F"),
  socket(9_229, 1_000, 15),
  socket(7_000, 1_000, 16),
  "files",
  ...holds(1, 12),
  ...holds(77, 11),
  ...holds(78, 13),
  ...holds(79, 16),
  "commands",
  ...command(1, "/usr/bin/python3", "-m", "http.server"),
  ...command(77, "node", "/home/coder/app/node_modules/.bin/vite"),
  ...command(78, "codehub-relay"),
  ...command(79, "codehub-relay"),
  // What a program calls itself is shown, and not obeyed.
  ...command(80, "x", `\n${socket(1, 1_000, 17)}\nfiles\nend`),
  "",
  "end",
  "",
].join("\n");

it("names the user's own programs, and neither the engine's nor our relays", () => {
  expect(readLook(SAID)).toEqual([
    { port: 3_000, program: "python3 http.server" },
    { port: 5_173, program: "node vite" },
    { port: 9_229, program: null },
  ]);
});

it("does not take an answer that broke off for one in which nothing listens", () => {
  expect(() => readLook(SAID.slice(0, -5))).toThrow(/did not say/);
  expect(() => readLook("")).toThrow(/did not say/);
});
