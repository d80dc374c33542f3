import { expect, test } from "vitest";
import { programName } from "./program-name.ts";

test.each([
  ["/usr/bin/node\0/home/coder/app/node_modules/.bin/vite\0--host\0", "node vite"],
  ["python3\0-m\0http.server\x008000\0", "python3 http.server"],
  ["./server\0--port=3000\0", "server"],
  ["npm run dev", "npm run dev"],
  ["nginx: master process /usr/sbin/nginx", "nginx: master process /usr/sbin/nginx"],
  ["a\nb\u202e\u200bc\0", "a b c"],
  ["x".repeat(99), "x".repeat(60)],
  ["", null],
  ["\0\0", null],
])("of %j is %j", (line, name) => {
  expect(programName(line)).toBe(name);
});
