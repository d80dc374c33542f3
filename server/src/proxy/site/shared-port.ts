import type { IncomingMessage } from "node:http";
import { guestSight, type SharingBound } from "#core/requests/sharing.ts";
import { nameInHosts } from "#core/rows/address.ts";
import type { Endpoint, Workspace } from "#core/rows/workspace.ts";
import type { WorkspaceSession } from "#ports/accounts.ts";
import type { Clock } from "#ports/clock.ts";
import type { Admission } from "#proxy/door/admission.ts";
import type { Gate } from "#proxy/door/gate.ts";
import type { WorkspaceHost } from "#proxy/door/origins.ts";
import { isNavigation, routableEndpoint } from "#proxy/door/visit.ts";

export type GuestVerdict =
  | { readonly kind: "nothing" }
  | { readonly kind: "not-running" }
  /** Its workspace has another address now. */
  | { readonly kind: "moved"; readonly row: Workspace }
  | { readonly kind: "open"; readonly guest: Admission; readonly row: Workspace; readonly endpoint: Endpoint };

const NOTHING: GuestVerdict = { kind: "nothing" };

/** Who is let in to a port of a workspace without being its owner. */
export class SharedPorts {
  readonly #gate: Gate;
  readonly #clock: Clock;
  readonly #bound: SharingBound;

  constructor(gate: Gate, clock: Clock, bound: SharingBound) {
    this.#gate = gate;
    this.#clock = clock;
    this.#bound = bound;
  }

  /** Whether anything can be shared here at all. */
  concerns(host: WorkspaceHost): boolean {
    return this.#bound !== "off" && host.port !== null;
  }

  /** `session`: somebody's for this very port, of a workspace that is served at this very host. */
  async judge(req: IncomingMessage, host: WorkspaceHost, session: WorkspaceSession | null): Promise<GuestVerdict> {
    const { port } = host;
    if (port === null || (session === null && !this.#isForStrangers(req, host))) return NOTHING;
    const id = session === null ? await this.#gate.idAt(host) : session.workspaceId;
    if (id === null) return NOTHING;
    const found = await this.#look(id, port, host, session);
    // Whoever has a session came by the door, which may know of a share that is remembered here as not there.
    if (found.kind !== "nothing" || session === null || !isNavigation(req.method, req.headers)) return found;
    this.#gate.forgetRow(id);
    return await this.#look(id, port, host, session);
  }

  /** Otherwise nothing is asked for somebody of whom nothing is known. */
  #isForStrangers(req: IncomingMessage, host: WorkspaceHost): boolean {
    return this.#bound === "public" && !fromAnotherPage(req, host.origin);
  }

  async #look(
    workspaceId: string,
    port: number,
    host: WorkspaceHost,
    session: WorkspaceSession | null,
  ): Promise<GuestVerdict> {
    const share = (await this.#gate.shares(workspaceId))?.find((one) => one.port === port) ?? null;
    // Nothing of a workspace is looked at for somebody for whom nothing is there.
    const row = share === null ? null : await this.#gate.row(workspaceId);
    if (row === null || row.deletedAt !== null) return NOTHING;
    const endpoint = routableEndpoint(row);
    const now = this.#clock.nowMs();
    const facts = { share, bound: this.#bound, signedIn: session !== null, running: endpoint !== null, now };
    const sight = guestSight(facts);
    if (sight === "nothing") return NOTHING;
    if (nameInHosts(row) !== host.name) return { kind: "moved", row };
    if (sight === "not_running" || endpoint === null) return { kind: "not-running" };
    const { sessionId = null, userId = null } = session ?? {};
    return {
      kind: "open",
      guest: { workspaceId, sessionId, userId, guestAt: { name: host.name, port } },
      row,
      endpoint,
    };
  }
}

/**
 * Where everybody is let in there is no session that another page's request could ride on, but the program may know its
 * visitors by cookies of its own. What says of itself that another page caused it is refused as ever; programs, which
 * say nothing, are let in: whoever sends them to a public address means it.
 */
function fromAnotherPage({ method, headers }: IncomingMessage, origin: string): boolean {
  const site = headers["sec-fetch-site"];
  if (headers.origin !== undefined && headers.origin !== origin) return true;
  if (site === undefined || site === "same-origin" || site === "none") return false;
  return !isNavigation(method, headers);
}
