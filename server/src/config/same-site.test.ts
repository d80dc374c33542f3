import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sharesSite } from "./same-site.ts";

describe("browsers count dashboard and workspaces as one site", () => {
  test.each([
    ["below one registered domain", "https://hub.example.com", "https://{id}.ws.example.com"],
    ["the dashboard on the registered domain itself", "https://example.com", "https://{id}.ws.example.com"],
    ["the dashboard deeper than the workspaces", "https://a.b.example.com", "https://{id}.example.com"],
    ["the dashboard beside the workspaces", "https://hub.ws.example.com", "https://{id}.ws.example.com"],
    ["below the dashboard's host", "https://hub.example.com", "https://{id}.hub.example.com"],
    ["far below the dashboard's host", "https://hub.example.com", "https://{id}.a.b.hub.example.com"],
    ["a public suffix of two labels", "https://hub.example.co.uk", "https://{id}.ws.example.co.uk"],
    ["a private suffix", "https://hub.team.github.io", "https://{id}.team.github.io"],
    ["below a dashboard on a public suffix", "https://github.io", "https://{id}.github.io"],
    ["two labels that only look like a public suffix", "https://hub.ac.de", "https://{id}.work.ac.de"],
    ["a domain nobody can register", "https://hub.corp.internal", "https://{id}.ws.corp.internal"],
    ["below a host of one label", "http://codehub", "http://{id}.codehub"],
    ["deeper below localhost", "http://localhost:8000", "http://{id}.ws.localhost:8000"],
    ["beside each other below a name under localhost", "http://hub.a.localhost", "http://{id}.a.localhost"],
    ["another port", "https://hub.example.com:8443", "https://{id}.ws.example.com"],
    ["another scheme", "http://hub.example.com", "https://{id}.ws.example.com"],
    ["upper case", "https://HUB.Example.COM", "https://{id}.ws.exAMPLE.com"],
    ["a trailing dot of the dashboard's", "https://hub.example.com.", "https://{id}.ws.example.com"],
    ["a trailing dot of the workspaces'", "https://hub.example.com", "https://{id}.hub.example.com."],
    ["letters of any alphabet", "https://hub.müller.de", "https://{id}.ws.xn--mller-kva.de"],
    ["a suffix in another alphabet", "https://hub.example.個人.香港", "https://{id}.ws.example.個人.香港"],
    ["a name that is not a strict host name", "https://my_hub.example.com", "https://{id}.ws_.example.com"],
    ["a label that is too long", `https://${"a".repeat(64)}.example.com`, "https://{id}.ws.example.com"],
    ["a host that is too long", `https://${"a.".repeat(130)}example.com`, "https://{id}.ws.example.com"],
  ])("%s: %s and %s", (_why, baseUrl, workspaceBaseUrl) => {
    expect(sharesSite(baseUrl, workspaceBaseUrl)).toBe(true);
  });

  test("whatever lies below the dashboard's host, unless it is localhost", () => {
    const label = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), fc.array(label, { maxLength: 3 }), (host, below) => {
        fc.pre(host.join(".") !== "localhost");
        const pattern = `https://{id}.${[...below, ...host].join(".")}`;
        expect(sharesSite(`https://${host.join(".")}`, pattern)).toBe(true);
      }),
    );
  });
});

describe("browsers keep dashboard and workspaces apart", () => {
  test.each([
    ["without configuration", "http://localhost:8000", "http://{id}.localhost:8000"],
    ["the dashboard by another name under localhost", "http://hub.localhost", "http://{id}.localhost"],
    ["the dashboard by an IPv4 address", "http://127.0.0.1:8000", "http://{id}.localhost:8000"],
    ["the dashboard by an IPv6 address", "http://[::1]:8000", "http://{id}.localhost:8000"],
    ["a name that contains the dashboard's address", "http://10.0.0.5", "http://{id}.10.0.0.5.example.net"],
    ["another registered domain", "https://hub.example.com", "https://{id}.example.net"],
    ["another domain that only ends alike", "https://hub.example.com", "https://{id}.myexample.com"],
    ["below a public suffix of two labels", "https://hub.co.uk", "https://{id}.work.co.uk"],
    ["below a private suffix", "https://hub.github.io", "https://{id}.work.github.io"],
    ["the workspaces right below a public suffix", "https://hub.github.io", "https://{id}.github.io"],
    ["the dashboard on a host of one label", "http://codehub", "http://{id}.ws.example.net"],
    ["below a suffix in another alphabet", "https://hub.個人.香港", "https://{id}.work.個人.香港"],
  ])("%s: %s and %s", (_why, baseUrl, workspaceBaseUrl) => {
    expect(sharesSite(baseUrl, workspaceBaseUrl)).toBe(false);
  });
});
