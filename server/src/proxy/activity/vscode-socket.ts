import type { Clock } from "#ports/clock.ts";
import { FrameReader, type FrameSink } from "./frames.ts";
import type { Observer } from "./guarded.ts";
import { CONTROL, MessageReader, type OnMessage, REGULAR } from "./persistent-protocol.ts";
import type { Presence } from "./presences.ts";
import {
  connectionType,
  EVENT_DISPOSE,
  EVENT_FIRE,
  EVENT_LISTEN,
  PROMISE,
  readChannelCall,
  readHostRequest,
} from "./vscode-messages.ts";

export type Signal = "presence" | "editing" | "terminal_input" | "terminal_output" | "request" | "message";

export interface SocketEvents {
  readonly onSignal: (signal: Signal) => void;
  /** The protocol is not what it was: whoever listens must judge by the general rule. */
  readonly onNotUnderstood: (reason: "parse" | "no_presence") => void;
}

/** Things only a person's hands cause, as the extension host is asked for them. */
const BY_HAND: ReadonlySet<string> = new Set([
  "$acceptModelChanged",
  "$acceptEditorPropertiesChanged",
  "$provideHover",
  "$provideCompletionItems",
]);

const SILENT_MS = 130_000;
const GUARD_MS = 300_000;
/** Long progress notifications and running notebooks hold the window "active" without anybody there. */
const PRESENCE_CAP_MS = 3_600_000;

/** Follows one of the two WebSockets of a VS Code tab on a copy of its bytes. */
export class VscodeSocket implements Observer {
  readonly #clock: Clock;
  readonly #events: SocketEvents;
  readonly #presence: Presence;
  readonly #client: FrameReader;
  readonly #server: FrameReader;
  #kind: number | null = null;
  #heardAt: number;
  #signalAt: number;
  #given = false;

  constructor(clock: Clock, presence: Presence, events: SocketEvents) {
    this.#clock = clock;
    this.#presence = presence;
    this.#events = events;
    this.#heardAt = clock.monotonicMs();
    this.#signalAt = this.#heardAt;
    this.#client = new FrameReader(binaryStream((type, prefix) => this.#fromClient(type, prefix)));
    this.#server = new FrameReader(binaryStream((type, prefix) => this.#fromServer(type, prefix)));
  }

  get isExtensionHost(): boolean {
    return this.#kind === 2;
  }

  fromClient(chunk: Buffer): void {
    this.#heardAt = this.#clock.monotonicMs();
    if (this.#given) return;
    this.#client.feed(chunk);
    if (this.#client.broken) this.#giveUp("parse");
  }

  fromServer(chunk: Buffer): void {
    // Only terminals are of interest in this direction, and those are on the management connection.
    if (this.#given || this.#kind === 2) return;
    this.#server.feed(chunk);
    if (this.#server.broken) this.#giveUp("parse");
  }

  close(): void {
    this.#presence.at = this.#clock.monotonicMs();
  }

  /** Says "presence" for as long as the window says that somebody is there. */
  tick(): void {
    const now = this.#clock.monotonicMs();
    this.#presence.at = now;
    if (this.#given || this.#kind !== 2) return;
    if (now - this.#heardAt > SILENT_MS) return;
    if (!this.#presence.spoke && now - this.#signalAt > GUARD_MS) return this.#giveUp("no_presence");
    if (this.#presence.present && now - this.#signalAt < PRESENCE_CAP_MS) this.#events.onSignal("presence");
  }

  #fromClient(type: number, prefix: Buffer): void {
    if (type === CONTROL) this.#kind ??= connectionType(prefix);
    else if (type === REGULAR && this.#kind === 2) this.#hostRequest(prefix);
    else if (type === REGULAR && this.#kind === 1) this.#channelCall(prefix);
  }

  #hostRequest(prefix: Buffer): void {
    const request = readHostRequest(prefix);
    if (request === null) return;
    if (request.method === "$onDidChangeWindowActive") {
      this.#presence.spoke = true;
      this.#presence.present = request.args.includes("true");
      if (this.#presence.present) this.#signal("presence");
    } else if (BY_HAND.has(request.method)) this.#signal("editing");
  }

  #channelCall(prefix: Buffer): void {
    const call = readChannelCall(prefix);
    if (call === null) return;
    if (call.kind === EVENT_DISPOSE) this.#presence.terminals.dispose(call.id);
    if (call.channel !== "remoteterminal") return;
    if (call.kind === PROMISE && call.name === "$input") this.#signal("terminal_input");
    if (call.kind === EVENT_LISTEN && call.name === "$onProcessDataEvent") this.#presence.terminals.listen(call.id);
  }

  #fromServer(type: number, prefix: Buffer): void {
    if (type !== REGULAR || this.#presence.terminals.none) return;
    const call = readChannelCall(prefix);
    if (call?.kind === EVENT_FIRE && this.#presence.terminals.has(call.id)) this.#signal("terminal_output");
  }

  #signal(signal: Signal): void {
    this.#signalAt = this.#clock.monotonicMs();
    this.#events.onSignal(signal);
  }

  #giveUp(reason: "parse" | "no_presence"): void {
    if (this.#given) return;
    this.#given = true;
    this.#events.onNotUnderstood(reason);
  }
}

/** Binary messages are one stream of bytes; a compressed or a text message is not this protocol. */
function binaryStream(onMessage: OnMessage): FrameSink {
  const messages = new MessageReader(onMessage);
  let data = false;
  return {
    onFrame: (opcode, compressed) => {
      // A ping may stand between two fragments of a message, and is not part of it.
      data = opcode === 2 || opcode === 0;
      return !messages.broken && !compressed && opcode !== 1;
    },
    onPayload: (chunk, start, end, mask, offset) => {
      if (data) messages.feed(chunk, start, end, mask, offset);
    },
  };
}
