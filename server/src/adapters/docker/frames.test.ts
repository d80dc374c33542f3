import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { splitFrames } from "./frames.ts";

function frame(stream: 1 | 2, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(content.length, 4);
  return Buffer.concat([header, content]);
}

it("gives back both streams, however the connection cuts them", async () => {
  const frames = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 40 })), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(frames, fc.integer({ min: 1, max: 30 }), async (all, size) => {
      const bytes = Buffer.concat(all.map(([stream, content]) => frame(stream as 1 | 2, Buffer.from(content))));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const { stdout, stderr } = splitFrames(Readable.from(chunks));
      const [out, err] = await Promise.all([buffer(stdout), buffer(stderr)]);
      const expected = (stream: number) =>
        Buffer.concat(all.filter(([s]) => s === stream).map(([, c]) => Buffer.from(c)));
      expect([out, err]).toEqual([expected(1), expected(2)]);
    }),
  );
});

it("tells a cut in the middle of a frame from an end", async () => {
  const { stdout } = splitFrames(Readable.from([frame(1, Buffer.from("hello")).subarray(0, 10)]));
  await expect(text(stdout)).rejects.toThrow(/middle of a frame/);
});

it("is not held up by a stream that was given up", async () => {
  const much = frame(1, Buffer.alloc(1024 * 1024));
  const { stdout, stderr } = splitFrames(Readable.from([much, much, frame(2, Buffer.from("the end"))]));
  const said = text(stderr);
  stdout.destroy();
  expect(await said).toBe("the end");
});

it("throws away what nobody reads when it is told to, and ends both streams", async () => {
  const much = frame(1, Buffer.alloc(1024 * 1024));
  const { stdout, stderr, discard } = splitFrames(Readable.from([much, much, frame(2, Buffer.from("the end"))]));
  const said = text(stderr);
  discard();
  expect(await said).toBe("the end");
  expect((await buffer(stdout)).length).toBeLessThan(much.length);
});
