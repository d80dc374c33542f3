import { runToEnd } from "./containers.ts";
import type { Engine } from "./engine.ts";
import { DEPLOYMENT, ROLE } from "./labels.ts";
import { BRIDGE_PREFIX } from "./network.ts";
import { SAY_PLACE } from "./network-place.ts";
import { NETWORK_POOL } from "./subnets.ts";

/**
 * What a bridge of its own does not keep apart: the engine drops traffic between bridges, but lets a container reach every
 * service of its host, the local network and a cloud's metadata address, and forgets its rules when a firewall is
 * reloaded. These rules live in a table of their own, which neither the engine nor a firewall manager touches, and a drop
 * there is final. A workspace may reach the internet, name servers, and answer who connected to it; nothing else.
 */
const RULES = `
table inet codehub
delete table inet codehub
table inet codehub {
  chain forward {
    type filter hook forward priority -10; policy accept;
    oifname "${BRIDGE_PREFIX}*" ct state new drop
    iifname != "${BRIDGE_PREFIX}*" accept
    ct state established,related accept
    meta l4proto { tcp, udp } th dport 53 accept
    ip daddr { 0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16, ${NETWORK_POOL}, 224.0.0.0/3 } drop
    ip6 daddr { ::1, fc00::/7, fe80::/10, ff00::/8 } drop
  }
  chain input {
    type filter hook input priority -10; policy accept;
    iifname != "${BRIDGE_PREFIX}*" accept
    ct state established,related accept
    drop
  }
}
`;

const FRESH_MS = 60_000;

/**
 * Keeps the rules in place on the engine's host, wherever that is: a container of our own image sets them in the host's
 * network. They are set again after a minute, so that a flushed ruleset or a restarted host does not stay open.
 */
export class Firewall {
  readonly #engine: Engine;
  readonly #deploymentId: string;
  readonly #image: string;
  #set: { readonly at: number; readonly done: Promise<string> } | null = null;

  constructor(engine: Engine, deploymentId: string, image: string) {
    this.#engine = engine;
    this.#deploymentId = deploymentId;
    this.#image = image;
  }

  /** Says in which network the engine works. Rejects when the rules cannot be set: then no workspace is started. */
  async ensure(): Promise<string> {
    const now = performance.now();
    if (this.#set === null || now - this.#set.at > FRESH_MS) this.#set = { at: now, done: this.#apply() };
    const current = this.#set;
    try {
      return await current.done;
    } catch (error) {
      if (this.#set === current) this.#set = null;
      throw error;
    }
  }

  /** For when the engine was away: its host may have been restarted. */
  forget(): void {
    this.#set = null;
  }

  async #apply(): Promise<string> {
    const config = {
      Image: this.#image,
      Entrypoint: ["sh", "-c", `nft "$0" && ${SAY_PLACE}`],
      Cmd: [RULES],
      User: "0:0",
      Labels: { [DEPLOYMENT]: this.#deploymentId, [ROLE]: "firewall" },
      HostConfig: {
        NetworkMode: "host",
        UsernsMode: "host",
        CapDrop: ["ALL"],
        CapAdd: ["NET_ADMIN"],
        SecurityOpt: ["no-new-privileges"],
        ReadonlyRootfs: true,
        PidsLimit: 16,
        Memory: 64 * 1024 * 1024,
      },
    };
    const said = await runToEnd(this.#engine, config, "setting the firewall that keeps workspaces apart", 30_000);
    // Whatever nft has to say comes before it.
    return said.trim().split("\n").at(-1) ?? "";
  }
}
