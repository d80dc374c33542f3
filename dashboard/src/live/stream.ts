import { type EventData, type EventType, eventTypes, type ServerEvent } from "@codehub/contract";
import type { LiveAction } from "./reducer.ts";

interface Options {
  readonly url: string;
  readonly dispatch: (action: LiveAction) => void;
  /** Asked after a loss: a session that has ended is not worth reconnecting for. */
  readonly stillSignedIn: () => Promise<boolean>;
}

/** The server says something every 30 s. Twice that and a bit without a word means that the line is dead. */
const silenceMs = 75_000;
const longestWaitMs = 5000;

/**
 * Keeps one event stream open. The browser's own reconnection is not used: it hides the loss, never gives up on an
 * ended session, and waits where the page knows better (back online, tab visible again).
 */
export function openStream({ url, dispatch, stillSignedIn }: Options): () => void {
  let source: EventSource | null = null;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  const lose = () => {
    if (closed) return;
    source?.close();
    source = null;
    dispatch({ type: "disconnected", at: Date.now() });
    const wait = Math.min(longestWaitMs, 500 * 2 ** failures) * (0.75 + Math.random() / 2);
    failures += 1;
    clearTimeout(timer);
    timer = setTimeout(() => void retry(), wait);
  };

  const retry = async () => {
    if (closed || source !== null) return;
    if (await stillSignedIn()) connect();
  };

  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(lose, silenceMs);
  };

  const connect = () => {
    if (closed || source !== null) return;
    clearTimeout(timer);
    const opened = new EventSource(url);
    source = opened;
    timer = setTimeout(lose, silenceMs);
    opened.onerror = () => {
      if (source === opened) lose();
    };
    const listen = <T extends EventType>(type: T) =>
      opened.addEventListener(type, (message: MessageEvent<string>) => {
        heard();
        dispatch({ type, data: JSON.parse(message.data) as EventData<T> } as ServerEvent);
        // Only a snapshot makes the page current again: an open line alone says nothing about what was missed.
        if (type === "snapshot") {
          failures = 0;
          dispatch({ type: "connected" });
        }
      });
    eventTypes.forEach(listen);
  };

  const hurry = () => {
    if (source === null && document.visibilityState === "visible") void retry();
  };
  window.addEventListener("online", hurry);
  window.addEventListener("offline", lose);
  document.addEventListener("visibilitychange", hurry);
  connect();

  return () => {
    closed = true;
    clearTimeout(timer);
    source?.close();
    window.removeEventListener("online", hurry);
    window.removeEventListener("offline", lose);
    document.removeEventListener("visibilitychange", hurry);
  };
}
