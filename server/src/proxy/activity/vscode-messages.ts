/** The few messages of VS Code that tell whether a person is there, as they look on the wire. */

export interface ChannelCall {
  readonly kind: number;
  readonly id: number;
  readonly channel: string;
  readonly name: string;
}

/** Kinds of the management connection's channel protocol. */
export const PROMISE = 100;
export const EVENT_LISTEN = 102;
export const EVENT_DISPOSE = 103;
export const EVENT_FIRE = 204;

const STRING = 1;
const ARRAY = 4;
const INT = 6;

/** The head of a channel message: an array of kind, id and, in requests, channel and name. Null when it is something else. */
export function readChannelCall(body: Buffer): ChannelCall | null {
  if (body[0] !== ARRAY) return null;
  const cursor = { body, at: 1 };
  const count = readVariable(cursor);
  const kind = readInt(cursor);
  const id = count >= 2 ? readInt(cursor) : null;
  if (kind === null || id === null) return null;
  if (count < 4) return { kind, id, channel: "", name: "" };
  const channel = readString(cursor);
  const name = readString(cursor);
  return channel === null || name === null ? null : { kind, id, channel, name };
}

interface Cursor {
  readonly body: Buffer;
  at: number;
}

/** Seven bits a byte, the lowest first. */
function readVariable(cursor: Cursor): number {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = cursor.body[cursor.at] ?? 0;
    cursor.at += 1;
    value += (byte & 0x7f) * 2 ** shift;
    if ((byte & 0x80) === 0) break;
  }
  return value;
}

function readInt(cursor: Cursor): number | null {
  if (cursor.body[cursor.at] !== INT) return null;
  cursor.at += 1;
  return readVariable(cursor);
}

function readString(cursor: Cursor): string | null {
  if (cursor.body[cursor.at] !== STRING) return null;
  cursor.at += 1;
  const length = readVariable(cursor);
  const end = cursor.at + length;
  if (end > cursor.body.length) return null;
  const text = cursor.body.toString("latin1", cursor.at, end);
  cursor.at = end;
  return text;
}

export interface HostRequest {
  readonly method: string;
  /** The first bytes of the arguments, as JSON text where they are JSON. */
  readonly args: string;
}

/** A request to the extension host: kind, request number, who, method, arguments. */
export function readHostRequest(body: Buffer): HostRequest | null {
  const kind = body[0] ?? 0;
  if (kind < 1 || kind > 4 || body.length < 8) return null;
  const length = body[6] ?? 0;
  if (body.length < 7 + length) return null;
  const method = body.toString("latin1", 7, 7 + length);
  return method.startsWith("$") ? { method, args: body.toString("latin1", 7 + length, 7 + length + 64) } : null;
}

/** Which of the two connections of a tab this is: 1 management, 2 extension host. */
export function connectionType(control: Buffer): number | null {
  const found = /"desiredConnectionType"\s*:\s*([0-9])/.exec(control.toString("latin1"));
  return found === null ? null : Number(found[1]);
}
