import { expect, test } from "vitest";
import { proxyWarnings } from "./proxy-warnings.ts";

const warned = (TRUSTED_PROXIES: string[], BASE_URL: string | null = null, localWorkspaces = false) =>
  proxyWarnings({ TRUSTED_PROXIES, BASE_URL, localWorkspaces }).join();

test.each([
  [[], null, ""],
  [[], "http://codehub.example", ""],
  [[], "https://codehub.example", "TRUSTED_PROXIES is empty"],
  [["10.0.0.5"], "https://codehub.example", ""],
  [["fd00::/8"], "https://codehub.example", ""],
  [["127.0.0.1"], "https://codehub.example", "this machine's own address"],
  [["10.0.0.5", "::1"], null, "this machine's own address"],
  [["127.0.0.0/8"], null, "this machine's own address"],
  [["0.0.0.0/0"], null, "this machine's own address"],
  [["10.0.0.0/255.0.0.0", "10.0.0.0/99", "uniquelocal"], null, ""],
  [["loopback"], null, "this machine's own address"],
])("TRUSTED_PROXIES %j with BASE_URL %s", (proxies, baseUrl, words) => {
  const text = warned(proxies, baseUrl);
  if (words === "") expect(text).toBe("");
  else expect(text).toContain(words);
});

test("where workspaces are programs of this machine, the warning names them", () => {
  expect(warned(["127.0.0.1"], null, true)).toContain("workspaces included");
});
