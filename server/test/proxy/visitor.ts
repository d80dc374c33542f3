import type { Workspace } from "#core/rows/workspace.ts";
import { type Answer, type Ask, type Front, type FrontOptions, startFront } from "./harness.ts";
import { type Echo, startEcho } from "./upstream-server.ts";

/** One user with one running workspace, already let in. */
export interface Visitor {
  readonly front: Front;
  readonly echo: Echo;
  readonly row: Workspace;
  readonly sessionId: string;
  /** The dashboard's cookie and the workspace's. */
  readonly dashboard: string;
  readonly cookie: string;
  /** What stands for the workspace in host names. */
  readonly name: string;
  readonly host: string;
  readonly origin: string;
  readonly ask: (ask: Ask) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

export async function startVisitor(options: FrontOptions = {}, socketPath?: string): Promise<Visitor> {
  const front = await startFront(options);
  const echo = await startEcho(socketPath);
  const user = front.world.addUser();
  const { token, record } = front.world.login(user);
  const row = front.world.running(user, echo.address);
  const { host, origin, name } = front.origins.workspace(row, null);
  const cookie = `__Host-codehub_ws=${front.world.admit(row, record.sessionId)}`;
  return {
    front,
    echo,
    row,
    sessionId: record.sessionId,
    dashboard: `__Host-Http-codehub=${token}`,
    cookie,
    name,
    host,
    origin,
    ask: (ask) => front.ask({ host, ...ask, headers: { cookie, ...ask.headers } }),
    async stop() {
      await front.stop();
      await echo.stop();
    },
  };
}

/** A WebSocket handshake as a browser sends it. */
export const handshake = (host: string, headers: Readonly<Record<string, string>>, path = "/ws"): string =>
  [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ].join("\r\n");
