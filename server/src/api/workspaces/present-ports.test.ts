import { expect, it } from "vitest";
import type { PortShare } from "#core/requests/sharing.ts";
import { type PortFacts, presentPorts } from "./present-ports.ts";

const NOW = Date.parse("2026-01-02T03:00:00Z");
const share = (port: number, over: Partial<PortShare> = {}): PortShare => ({
  ...{ workspaceId: "w", port, audience: "users", expiresAt: NOW + 3_600_000, createdAt: NOW, ...over },
});

const facts: PortFacts = {
  listening: [
    { port: 5_173, program: "node vite" },
    { port: 3_000, program: null },
    { port: 8_080, program: "node" },
  ],
  running: true,
  labelled: [
    { port: 3_000, label: "App" },
    { port: 80, label: null },
  ],
  ownPorts: [8_080],
  shares: [],
  sharing: "users",
  now: NOW,
  urlOf: (port) => `http://${port}--x.test`,
};

it("has what listens and what has a label, in order, and nothing of ours", () => {
  expect(presentPorts(facts)).toEqual({
    state: "listed",
    sharing: "users",
    items: [
      { port: 80, listening: false, program: null, label: null, share: null, url: "http://80--x.test" },
      { port: 3_000, listening: true, program: null, label: "App", share: null, url: "http://3000--x.test" },
      { port: 5_173, listening: true, program: "node vite", label: null, share: null, url: "http://5173--x.test" },
    ],
  });
});

it("says why it cannot know what listens", () => {
  const ports = ({ state, items }: ReturnType<typeof presentPorts>) => [state, items.map(({ port }) => port)];
  expect(ports(presentPorts({ ...facts, listening: null }))).toEqual(["unknown", [80, 3_000]]);
  expect(ports(presentPorts({ ...facts, listening: [], running: false }))).toEqual(["not_running", [80, 3_000]]);
});

it("shows what is shared, whether or not anything listens there, and only what says something now", () => {
  const shares = [
    share(3_000),
    share(4_000, { expiresAt: null }),
    share(5_000, { audience: "public" }),
    share(6_000, { expiresAt: NOW }),
  ];
  const shown = (over: Partial<PortFacts>) =>
    presentPorts({ ...facts, shares, ...over }).items.flatMap((one) =>
      one.share === null ? [] : [[one.port, one.share.audience, one.share.expires_at]],
    );
  const hourLater = "2026-01-02T04:00:00.000Z";
  expect(shown({})).toEqual([
    [3_000, "users", hourLater],
    [4_000, "users", null],
  ]);
  expect(shown({ sharing: "public" })).toContainEqual([5_000, "public", hourLater]);
  expect(shown({ sharing: "off" })).toEqual([]);
});
