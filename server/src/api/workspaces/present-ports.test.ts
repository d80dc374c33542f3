import { expect, it } from "vitest";
import { type PortFacts, presentPorts } from "./present-ports.ts";

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
  urlOf: (port) => `http://${port}--x.test`,
};

it("has what listens and what has a label, in order, and nothing of ours", () => {
  expect(presentPorts(facts)).toEqual({
    state: "listed",
    items: [
      { port: 80, listening: false, program: null, label: null, url: "http://80--x.test" },
      { port: 3_000, listening: true, program: null, label: "App", url: "http://3000--x.test" },
      { port: 5_173, listening: true, program: "node vite", label: null, url: "http://5173--x.test" },
    ],
  });
});

it("says why it cannot know what listens", () => {
  const ports = ({ state, items }: ReturnType<typeof presentPorts>) => [state, items.map(({ port }) => port)];
  expect(ports(presentPorts({ ...facts, listening: null }))).toEqual(["unknown", [80, 3_000]]);
  expect(ports(presentPorts({ ...facts, listening: [], running: false }))).toEqual(["not_running", [80, 3_000]]);
});
