import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isImageAllowed } from "./images.ts";

const D = `sha256:${"a".repeat(64)}`;
const OTHER = `sha256:${"b".repeat(64)}`;

describe("the list of allowed images", () => {
  it.each([
    // [list, image, allowed]
    ["codehub/workspace:latest", "codehub/workspace:latest", true],
    ["codehub/workspace:latest", "codehub/workspace", true],
    ["codehub/workspace", "docker.io/codehub/workspace:latest", true],
    ["debian:13", "docker.io/library/debian:13", true],
    ["index.docker.io/library/debian:13", "debian:13", true],
    ["Registry.Example.net/team/go:1", "registry.example.net/team/go:1", true],
    ["localhost/x:1", "localhost/x:1", true],
    ["codehub/workspace:latest", "codehub/workspace:latest2", false],
    ["codehub/workspace:1", "codehub/workspace", false],
    ["codehub/workspace", "evil/codehub/workspace", false],
    ["codehub/workspace", "evil.example/codehub/workspace", false],
    ["codehub/workspace", "codehub/workspace-evil", false],
    ["localhost/x:1", "docker.io/localhost/x:1", false],
    // A digest names one content for ever; a tag beside it says nothing.
    [`codehub/w@${D}`, `codehub/w@${D}`, true],
    [`codehub/w@${D}`, `codehub/w:any@${D}`, true],
    [`codehub/w@${D}`, `codehub/w@${OTHER}`, false],
    [`codehub/w@${D}`, "codehub/w:latest", false],
    ["codehub/w:1", `codehub/w:1@${OTHER}`, false],
    // Every tag and every content of one image.
    ["codehub/w:*", "codehub/w:2", true],
    ["codehub/w:*", `codehub/w@${D}`, true],
    ["codehub/w:*", "codehub/w-evil:2", false],
    ["debian:*", "debian:5000/evil", false],
    ["codehub/w:1.*", "codehub/w:1.2", true],
    ["codehub/w:1.*", "codehub/w:2.1", false],
    ["codehub/w:1.*", `codehub/w:1.2@${D}`, false],
    // Everything below a place.
    ["codehub/*", "codehub/workspace:3", true],
    ["codehub/*", "codehub-evil/workspace:3", false],
    ["codehub/*", "evil/codehub/x", false],
    ["registry.example.net/team/*", `registry.example.net/team/go@${D}`, true],
    ["registry.example.net/team/*", "registry.example.net/teams/go", false],
    ["registry.example.net/*", "registry.example.net/a/b:1", true],
    ["127.0.0.1:9/*", "127.0.0.1:9/x", true],
    ["codehub/ws-*", "codehub/ws-go:1", true],
    // Without a slash the name could go on as another registry's or another team's.
    ["codehub*", "codehub-evil/workspace", false],
    ["codehub*", "codehub/workspace", false],
    ["registry.example*", "registry.example.evil.net/x", false],
    ["debian*", "debian:13", true],
    ["*", "anything.example:5000/a/b:c", true],
  ])("%s and %s: %s", (entry, image, allowed) => {
    expect(isImageAllowed(image, [entry])).toBe(allowed);
  });

  it.each(["", "-x", "a b", "a?b", "a\nb", "a/../b", "a//b", "/a", "a/", "A/b", "a:", "a@", "a@sha256:abc", "a:b:c"])(
    "%j is no image, whatever the list says",
    (image) => {
      expect(isImageAllowed(image, ["*"])).toBe(false);
    },
  );

  it("a name longer than any registry takes is none", () => {
    expect(isImageAllowed("x".repeat(300), ["*"])).toBe(false);
  });

  it("what an administrator wrote down literally is always allowed, in whatever company", () => {
    const name = fc.stringMatching(/^[a-z0-9]{1,8}(\/[a-z0-9]{1,8}){0,2}(:[a-z0-9]{1,5})?$/);
    fc.assert(fc.property(name, fc.array(name), (image, others) => isImageAllowed(image, [...others, image])));
  });
});
