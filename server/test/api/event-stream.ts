import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import type { EventData, ServerEvent, WorkspaceSummary } from "@codehub/contract";

/** A client of the event stream that does what a dashboard does: keeps the newest version of every workspace. */
export interface EventStream {
  readonly status: Promise<number>;
  /** Everything that arrived, as text, for looking for what must not be there. */
  readonly text: () => string;
  readonly events: ServerEvent[];
  readonly workspaces: Map<string, WorkspaceSummary>;
  readonly ended: Promise<void>;
  /** Resolves once the condition holds; it is asked again after every event. */
  readonly until: (condition: () => boolean | Promise<boolean>) => Promise<void>;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly close: () => void;
}

export interface StreamTarget {
  readonly url: string;
  readonly origin: string;
}

export function openStream(
  target: StreamTarget,
  headers: Readonly<Record<string, string>>,
  keepText = true,
): EventStream {
  let text = "";
  let buffer = "";
  let response: IncomingMessage | null = null;
  const events: ServerEvent[] = [];
  const workspaces = new Map<string, WorkspaceSummary>();
  const waiting = new Set<() => void>();
  const ended = Promise.withResolvers<void>();
  const status = Promise.withResolvers<number>();

  const apply = (event: ServerEvent): void => {
    events.push(event);
    if (event.type === "snapshot") {
      workspaces.clear();
      for (const workspace of event.data.workspaces) workspaces.set(workspace.id, workspace);
    }
    if (event.type === "workspace_updated") {
      const known = workspaces.get(event.data.id);
      if (known === undefined || known.version <= event.data.version) workspaces.set(event.data.id, event.data);
    }
  };

  const read = (chunk: string): void => {
    if (keepText) text += chunk;
    buffer += chunk;
    const frames = buffer.split("\n\n");
    buffer = frames.pop() ?? "";
    for (const frame of frames) {
      const [, type, data] = /^event: (\w+)\ndata: (.*)$/s.exec(frame) ?? [];
      if (type !== undefined && data !== undefined)
        apply({ type, data: JSON.parse(data) as EventData<"heartbeat"> } as ServerEvent);
    }
    for (const wake of waiting) wake();
  };

  // Certificates of a test are nobody's.
  const { request } = target.url.startsWith("https:") ? https : http;
  const { host, hostname: servername } = new URL(target.origin);
  const sent: ClientRequest = request(
    `${target.url}/api/v1/events`,
    { headers: { host, ...headers }, agent: false, servername, rejectUnauthorized: false },
    (answer) => {
      response = answer;
      status.resolve(answer.statusCode ?? 0);
      answer.setEncoding("utf8");
      answer.on("data", read);
      answer.on("close", () => ended.resolve());
    },
  );
  sent.on("error", () => {
    status.resolve(0);
    ended.resolve();
  });
  sent.end();

  return {
    status: status.promise,
    text: () => text,
    events,
    workspaces,
    ended: ended.promise,
    until: async (condition) => {
      while (!(await condition())) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        // A change in the database may be what makes the condition true: so it is also asked again after a while.
        const timer = setTimeout(resolve, 200);
        await Promise.race([promise, ended.promise.then(() => Promise.reject(new Error("the stream ended")))]);
        clearTimeout(timer);
        waiting.delete(resolve);
      }
    },
    pause: () => void response?.pause(),
    resume: () => void response?.resume(),
    close: () => sent.destroy(),
  };
}
