import { randomBytes } from "node:crypto";

/** VS Code's messages and WebSocket frames, made by hand the way the real ones look. */

/** A message of the persistent protocol: type, id, ack, length, body. */
export function message(type: number, body: Buffer | string = ""): Buffer {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const head = Buffer.alloc(13);
  head[0] = type;
  head.writeUInt32BE(bytes.length, 9);
  return Buffer.concat([head, bytes]);
}

export const KEEP_ALIVE = 9;

/** A request to the extension host. */
export function hostRequest(method: string, args: unknown[]): Buffer {
  const json = Buffer.from(JSON.stringify(args));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return message(
    1,
    Buffer.concat([Buffer.from([1, 0, 0, 0, 7, 42, method.length]), Buffer.from(method), length, json]),
  );
}

const variable = (value: number): number[] =>
  value < 128 ? [value] : [(value & 0x7f) | 0x80, ...variable(value >>> 7)];
const int = (value: number): Buffer => Buffer.from([6, ...variable(value)]);
const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from([1, ...variable(value.length)]), Buffer.from(value)]);

/** A message of the management connection: an array of kind, id and, for requests, channel and name; then a body. */
export function channelMessage(kind: number, id: number, channel?: string, name?: string): Buffer {
  const parts = [
    int(kind),
    int(id),
    ...(channel === undefined || name === undefined ? [] : [text(channel), text(name)]),
  ];
  return message(1, Buffer.concat([Buffer.from([4, parts.length]), ...parts, text("body")]));
}

export const hello = (type: 1 | 2): Buffer =>
  message(
    2,
    JSON.stringify({
      type: "connectionType",
      commit: "c",
      signedData: "s",
      desiredConnectionType: type,
      args: { language: "en" },
    }),
  );

/** One WebSocket frame; masked as a browser's. */
export function frame(
  payload: Buffer,
  options: { masked?: boolean; fin?: boolean; opcode?: number; compressed?: boolean } = {},
): Buffer {
  const { masked = true, fin = true, opcode = 2, compressed = false } = options;
  const first = (fin ? 0x80 : 0) | (compressed ? 0x40 : 0) | opcode;
  const bit = masked ? 0x80 : 0;
  const size = payload.length;
  const head =
    size < 126
      ? Buffer.from([first, bit | size])
      : size < 65_536
        ? Buffer.from([first, bit | 126, size >> 8, size & 0xff])
        : Buffer.concat([Buffer.from([first, bit | 127, 0, 0, 0, 0]), uint32(size)]);
  if (!masked) return Buffer.concat([head, payload]);
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, Buffer.from(payload.map((byte, i) => byte ^ (mask[i & 3] ?? 0)))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
