import type { Address, Endpoint } from "#core/rows/workspace.ts";
import type { Clock } from "#ports/clock.ts";
import type { PortAddress, Runtime } from "#ports/runtime.ts";
import type { WorkspaceHost } from "#proxy/door/origins.ts";
import { Recent } from "#proxy/door/recent.ts";
import { ConnectionBudget } from "#proxy/wire/connection-budget.ts";
import { Upstream } from "#proxy/wire/upstream.ts";

interface Instance {
  readonly containerId: string;
  readonly attempt: string;
  readonly upstream: Upstream;
  idleSweeps: number;
}

const PORTS_FRESH_MS = 2_000;
const DROP_AFTER_SWEEPS = 60;

/**
 * The pools of connections, one for each container instance and port. The target is built from the row's endpoint
 * alone; an instance that is not the row's any more takes its connections with it.
 */
export class Instances {
  /** For all of them together, and for WebSockets, which are in no pool. */
  readonly budget: ConnectionBudget;
  readonly #known = new Map<string, Instance>();
  /** By container and port. */
  readonly #ports: Recent<string, PortAddress>;
  readonly #runtime: Pick<Runtime, "portAddress" | "confirms">;

  constructor(runtime: Pick<Runtime, "portAddress" | "confirms">, clock: Clock, maxConnections: number) {
    this.#runtime = runtime;
    this.budget = new ConnectionBudget(maxConnections, () => this.#closeOneResting());
    const times = { clock, freshMs: PORTS_FRESH_MS, staleMs: PORTS_FRESH_MS };
    this.#ports = new Recent(times, (key) => {
      const [containerId = "", port] = key.split(" ");
      return runtime.portAddress(containerId, Number(port));
    });
  }

  /** Null when the workspace's own processes do not listen on the port that is asked for. */
  find(host: WorkspaceHost, endpoint: Endpoint): Upstream | null | Promise<Upstream | null> {
    const { port } = host;
    if (port === null) return this.#pool(host.host, endpoint, endpoint.address, this.#confirm(endpoint.address));
    const found = this.#ports.get(`${endpoint.containerId} ${port}`);
    const pick = (address: PortAddress | null): Upstream | null => {
      if (address === null) return null;
      const { listener } = address;
      const confirm =
        listener === undefined ? this.#confirm(address) : this.#confirmPort(endpoint.containerId, port, address);
      return this.#pool(host.host, endpoint, address, confirm);
    };
    return found instanceof Promise ? found.then(pick) : pick(found);
  }

  /** Called once a second. */
  sweep(elapsedMs: number): void {
    for (const [key, instance] of this.#known) {
      instance.upstream.sweep(elapsedMs);
      instance.idleSweeps = instance.upstream.size === 0 ? instance.idleSweeps + 1 : 0;
      if (instance.idleSweeps > DROP_AFTER_SWEEPS) this.#known.delete(key);
    }
  }

  close(): void {
    for (const { upstream } of this.#known.values()) upstream.close();
    this.#known.clear();
  }

  /** Where most of them rest. Everybody is asked, but only when there is no room, which is rare. */
  #closeOneResting(): boolean {
    let most: Upstream | null = null;
    for (const { upstream } of this.#known.values()) if (upstream.resting > (most?.resting ?? 0)) most = upstream;
    return most?.closeOneResting() ?? false;
  }

  /** Null where nobody else can have come to be. */
  #confirm(address: Address): Upstream["confirm"] {
    if (address.kind === "unix" || address.mac === undefined) return null;
    return async () => this.#runtime.confirms(address);
  }

  /** The socket that was found before connecting still listens: so it was this one, and no other, that accepted. */
  #confirmPort(containerId: string, port: number, address: PortAddress): () => Promise<boolean> {
    return async () => {
      const now = await this.#runtime.portAddress(containerId, port);
      return now !== null && sameAddress(now, address);
    };
  }

  #pool(key: string, { containerId, attempt }: Endpoint, address: PortAddress, confirm: Upstream["confirm"]): Upstream {
    const known = this.#known.get(key);
    if (
      known !== undefined &&
      known.containerId === containerId &&
      known.attempt === attempt &&
      sameAddress(known.upstream.address, address)
    )
      return known.upstream;
    known?.upstream.close();
    const upstream = new Upstream({ address, confirm }, this.budget);
    this.#known.set(key, { containerId, attempt, upstream, idleSweeps: 0 });
    return upstream;
  }
}

const sameAddress = (a: PortAddress, b: PortAddress): boolean =>
  a.kind === "unix"
    ? b.kind === "unix" && a.path === b.path
    : b.kind === "tcp" && a.host === b.host && a.port === b.port && a.mac === b.mac && a.listener === b.listener;
