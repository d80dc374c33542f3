import type { Reach } from "#core/reach/reach.ts";
import { runToEnd } from "./containers.ts";
import type { Engine } from "./engine.ts";
import { firewallRules, SET_RULES } from "./firewall-rules.ts";
import { DEPLOYMENT, ROLE } from "./labels.ts";
import { SAY_PLACE } from "./network-place.ts";

const FRESH_MS = 60_000;

/**
 * Keeps the rules in place on the engine's host, wherever that is: a container of our own image sets them in the host's
 * network. They are set again after a minute, so that a flushed ruleset or a restarted host does not stay open.
 */
export class Firewall {
  readonly #engine: Engine;
  readonly #deploymentId: string;
  readonly #image: string;
  readonly #reach: Reach;
  #set: { readonly at: number; readonly done: Promise<string> } | null = null;

  constructor(engine: Engine, deploymentId: string, image: string, reach: Reach) {
    this.#engine = engine;
    this.#deploymentId = deploymentId;
    this.#image = image;
    this.#reach = reach;
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
    const rules = firewallRules(this.#deploymentId, this.#reach.allowed, await this.#reach.controlPlane());
    const config = {
      Image: this.#image,
      Entrypoint: ["sh", "-c", `${SET_RULES} && ${SAY_PLACE}`],
      Cmd: [rules],
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
