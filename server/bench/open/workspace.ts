import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@codehub/contract";
import type { OpenBrowser, Stay } from "./browser.ts";
import { fillHome } from "./home.ts";

const LIMIT_MS = 60_000;

/** From the beginning of a visit. */
export interface Seen {
  /** The IDE answers its health check. */
  readonly answersS: number;
  /** The Explorer shows the home. */
  readonly rowsS: number;
}

/** One workspace in STANDBY, and everything around it that a person's visit goes through. */
export class SleepingWorkspace {
  readonly #url: string;
  readonly #api: Client;
  readonly #cookies: string;
  readonly #id: string;

  private constructor(url: string, api: Client, cookies: string, id: string) {
    this.#url = url;
    this.#api = api;
    this.#cookies = cookies;
    this.#id = id;
  }

  static async prepare(url: string, dataDir: string, api: Client, cookies: string): Promise<SleepingWorkspace> {
    const { id } = await api.createWorkspace({ body: { name: "bench", desired_state: "RUNNING" } });
    const workspace = new SleepingWorkspace(url, api, cookies, id);
    await workspace.#reaches("RUNNING");
    await workspace.#rest();
    const [volume = ""] = await readdir(join(dataDir, "volumes"));
    await fillHome(join(dataDir, "volumes", volume, "home"));
    return workspace;
  }

  async visit(browser: OpenBrowser, stay: Stay): Promise<Seen> {
    await browser.signIn(this.#url, this.#cookies);
    let begun = 0;
    let begunAt = 0;
    const shown = await browser.untilRows(async () => {
      begun = performance.now();
      begunAt = Date.now();
      return `${this.#url}/w/${this.#id}/`;
    }, stay);
    const { items } = await this.#api.listHistory({ params: { id: this.#id }, query: { limit: 20 } });
    const running = items.find((event) => event.to_phase === "RUNNING");
    await this.#rest();
    return { answersS: (Date.parse(running?.at ?? "") - begunAt) / 1_000, rowsS: (shown - begun) / 1_000 };
  }

  async #rest(): Promise<void> {
    await this.#api.updateWorkspace({ params: { id: this.#id }, body: { desired_state: "STANDBY" } });
    await this.#reaches("STANDBY");
  }

  async #reaches(phase: string): Promise<void> {
    for (const deadline = performance.now() + LIMIT_MS; performance.now() < deadline; await delay(20)) {
      const seen = await this.#api.getWorkspace({ params: { id: this.#id } });
      if (seen.phase === phase && seen.operation === "NONE") return;
    }
    throw new Error(`a minute has passed, and still the workspace is not ${phase}`);
  }
}
