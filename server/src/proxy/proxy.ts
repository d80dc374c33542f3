import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { SharingBound } from "#core/requests/sharing.ts";
import type { HandoverStore, SessionStore } from "#ports/accounts.ts";
import type { Clock } from "#ports/clock.ts";
import type { Logger } from "#ports/logger.ts";
import type { Runtime } from "#ports/runtime.ts";
import type { ShareReader } from "#ports/shares.ts";
import type { WorkspaceReader } from "#ports/store.ts";
import type { Tracer } from "#ports/tracer.ts";
import type { Views } from "#ports/views.ts";
import type { WorkspaceRequests } from "#requests/workspace-requests.ts";
import { type ActivitySink, ActivityWatch } from "./activity/watch.ts";
import { Changes } from "./door/changes.ts";
import type { CookieFinding } from "./door/cookies.ts";
import { Door } from "./door/door.ts";
import { Gate } from "./door/gate.ts";
import { GuestDoor } from "./door/guest-door.ts";
import { Handover } from "./door/handover.ts";
import type { HostMatch, Origins } from "./door/origins.ts";
import { SingleOrigin } from "./door/single-origin.ts";
import type { ProxyMetrics } from "./metrics.ts";
import { refuseUpgrade, sendJson, sendText } from "./pages/answers.ts";
import { sendPage } from "./pages/layout.ts";
import { unavailablePage } from "./pages/plain-pages.ts";
import { Carrier } from "./site/carrier.ts";
import { IdeTab, type SleepPolicy } from "./site/ide-tab.ts";
import { Instances } from "./site/instances.ts";
import { PagesAhead } from "./site/pages-ahead.ts";
import { SharedPorts } from "./site/shared-port.ts";
import { WorkspaceSite } from "./site/workspace-site.ts";
import { RECHECK_MS, Streams } from "./wire/streams.ts";

export interface ProxyDeps {
  readonly origins: Origins;
  readonly loginPath: string;
  /** The dashboard's session secret among the cookies, found the way the dashboard finds it. */
  readonly dashboardToken: (cookieHeader: string | undefined) => CookieFinding;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ProxyMetrics;
  /** Where somebody collects what each request set off. */
  readonly tracer?: Tracer | undefined;
  readonly sessions: Pick<SessionStore, "find" | "alive">;
  readonly handovers: HandoverStore;
  readonly workspaces: WorkspaceReader;
  readonly views: Pick<Views, "get" | "idOfAddress">;
  readonly requests: WorkspaceRequests;
  readonly runtime: Pick<Runtime, "portAddress" | "confirms" | "ideFiles">;
  readonly activity: ActivitySink;
  readonly sleep: SleepPolicy;
  readonly shares: ShareReader;
  /** With whom ports may be shared at most. */
  readonly sharing: SharingBound;
  /** How many connections to workspaces there may be at a time. */
  readonly maxConnections: number;
}

/** An upload must bring at least this much in the time between two looks, or it is only holding a connection. */
const SLOWEST_UPLOAD_BYTES = 512;
const UPLOAD_LOOK_MS = 30_000;
const ACTIVITY_TICK_MS = 10_000;

/** Opens workspaces, wakes them, and keeps others out. It has no listener of its own: see front.ts. */
export interface WorkspaceProxy {
  readonly match: (host: string | undefined) => HostMatch | null;
  /** A host that is a workspace's or the probe's is the proxy's, and so is the door on the dashboard's. */
  readonly owns: (match: HostMatch, target: string | undefined) => boolean;
  /** For what is the proxy's. */
  readonly request: (req: IncomingMessage, res: ServerResponse, match: HostMatch) => void;
  readonly upgrade: (req: IncomingMessage, socket: Duplex, early: Buffer, match: HostMatch) => void;
  /** The row changed or was deleted: what is open is looked at again now. */
  readonly workspaceChanged: (workspaceId: string) => void;
  /** Somebody signed out or was disabled. */
  readonly sessionsChanged: () => void;
  /** Ends uploads that have brought next to nothing since the last look; happens by itself every half minute. */
  readonly lookAtUploads: () => void;
  readonly openStreams: number;
  /** Ends WebSockets, which would go on for ever. Requests may come to their end. */
  readonly leave: () => void;
  readonly close: () => void;
}

export function createProxy(deps: ProxyDeps): WorkspaceProxy {
  const { origins, clock, logger, metrics } = deps;
  const gate = new Gate(deps);
  const streams = new Streams(gate, clock, logger, deps.sharing);
  const instances = new Instances(deps.runtime, clock, deps.maxConnections);
  const activity = new ActivityWatch(deps.activity, clock, metrics, logger);
  const forget = (workspaceId: string) => gate.forgetRow(workspaceId);
  const changes = new Changes();
  const ahead = new PagesAhead();
  const carrier = new Carrier({ origins, instances, streams, activity, metrics, onUnreachable: forget });
  const handover = new Handover(origins, deps.handovers);
  const tab = new IdeTab({ origins, gate, clock, requests: deps.requests, sleep: deps.sleep });
  const files = deps.runtime.ideFiles ?? null;
  const shared = new SharedPorts(gate, clock, deps.sharing);
  const site = new WorkspaceSite({
    ...{ origins, gate, handover, carrier, tab, metrics, clock, changes, ahead, files, shared },
  });
  const guests = new GuestDoor({ ...deps, handover });
  const door = new Door({ ...deps, handover, changes, ahead, guests, onChanged: forget });
  const single = origins.singleOrigin ? new SingleOrigin(origins, door, carrier) : null;

  const fault = (error: unknown) => logger.warn({ error: String(error) }, "a visit could not be answered");
  const lookAtUploads = () => carrier.sweepUploads(SLOWEST_UPLOAD_BYTES);
  const timers = [
    every(1_000, () => instances.sweep(1_000)),
    every(UPLOAD_LOOK_MS, lookAtUploads),
    every(ACTIVITY_TICK_MS, () => activity.tick()),
    every(RECHECK_MS, () => void streams.recheck().catch(fault)),
  ];

  return {
    match: origins.match,
    owns: (match, target) => match.kind !== "dashboard" || target?.startsWith("/w/") === true,
    request(req, res, match) {
      if (match.kind === "workspace") return site.request(req, res, match);
      if (match.kind === "probe") return probe(res, origins.dashboard);
      const answer = single === null ? door.handle(req, res) : single.request(req, res);
      answer.catch((error: unknown) => {
        fault(error);
        sendPage(res, unavailablePage());
      });
    },
    upgrade(req, socket, early, match) {
      const answer =
        match.kind === "workspace"
          ? site.upgrade(req, socket, early, match)
          : match.kind === "dashboard" && single !== null
            ? single.upgrade(req, socket, early)
            : Promise.resolve(refuseUpgrade(socket, 404, "There is nothing here."));
      answer.catch((error: unknown) => {
        fault(error);
        socket.destroy();
      });
    },
    lookAtUploads,
    workspaceChanged(workspaceId) {
      gate.forgetRow(workspaceId);
      changes.happened(workspaceId);
      streams.recheckWorkspace(workspaceId).catch(fault);
    },
    sessionsChanged() {
      gate.forgetSessions();
      streams.recheck().catch(fault);
    },
    get openStreams() {
      return streams.size;
    },
    leave: () => streams.cutEndless(),
    close() {
      for (const timer of timers) clearInterval(timer);
      streams.cutAll();
      instances.close();
    },
  };
}

/** Tells the dashboard that this browser finds names like those of workspaces. */
function probe(res: ServerResponse, dashboard: string): void {
  res.setHeader("Access-Control-Allow-Origin", dashboard);
  res.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
  sendJson(res, 200, { ok: true });
}

const every = (ms: number, run: () => void): NodeJS.Timeout => setInterval(run, ms).unref();

/** For a host that is nobody's. */
export const misdirected = (res: ServerResponse, dashboard: string): void =>
  sendText(res, 421, `This server does not answer for that host name. Its address is ${dashboard}/ (BASE_URL).\n`, {
    Connection: "close",
  });
