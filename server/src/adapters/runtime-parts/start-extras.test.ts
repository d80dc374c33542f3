import { describe, expect, it } from "vitest";
import type { StartSpec } from "#ports/runtime.ts";
import { requireTaken } from "./start-extras.ts";

const all = { hostName: true, size: true, init: true, files: true, prelude: true, pullCredential: true };
const spec: StartSpec = { workspaceId: "w", attempt: "a", volume: "v", imageRef: "i", hostPort: null, ownerId: "o" };
const withFiles = (...files: [path: string, bytes: number][]): StartSpec => ({
  ...spec,
  files: files.map(([path, bytes]) => ({ path, mode: 0o400, content: new Uint8Array(bytes) })),
});

describe("what a start may be given", () => {
  it("is what the runtime takes", () => {
    const given = { ...spec, init: { command: ["true"], limitSeconds: 1 } };
    expect(() => requireTaken(given, all)).not.toThrow();
    expect(() => requireTaken(given, { ...all, init: false })).toThrow("init");
    expect(() => requireTaken(spec, { ...all, init: false })).not.toThrow();
  });

  it.each(["../key", "a/../b", "/etc/passwd", "a//b", ".", "a/", "", "two words", "a\nb", "a/b/c/d/e", "é"])(
    "is no file called %j",
    (path) => expect(() => requireTaken(withFiles([path, 1]), all)).toThrow("no name"),
  );

  it("is a prelude that is among its files", () => {
    const files = withFiles(["env/prelude", 1]);
    expect(() => requireTaken({ ...files, prelude: "env/prelude" }, all)).not.toThrow();
    expect(() => requireTaken({ ...files, prelude: "prelude" }, all)).toThrow("one of the files");
    expect(() => requireTaken({ ...spec, prelude: "$(id)" }, all)).toThrow("one of the files");
  });

  it("is no more than a cluster's object holds", () => {
    expect(() => requireTaken(withFiles(["keys/a", 700 * 1024], [".b", 68 * 1024]), all)).not.toThrow();
    expect(() => requireTaken(withFiles(["a", 700 * 1024], ["b", 69 * 1024]), all)).toThrow("too much");
    const many = Array.from({ length: 201 }, (_, at): [string, number] => [`f${at}`, 0]);
    expect(() => requireTaken(withFiles(...many), all)).toThrow("too much");
  });
});
