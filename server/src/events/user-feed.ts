import type { WorkspaceSummary } from "@codehub/contract";
import type { Logger } from "#ports/logger.ts";
import type { Views, WorkspaceSummaryView } from "#ports/views.ts";
import type { ChangeMessage } from "./channels.ts";
import { frame, type SseClient } from "./sse-client.ts";

export interface FeedDeps {
  readonly views: Pick<Views, "summariesOf" | "ofOwner">;
  readonly present: (view: WorkspaceSummaryView) => WorkspaceSummary;
  readonly logger: Logger;
  /** Resolves after a failed read, when it is worth trying again. */
  readonly pause: () => Promise<void>;
  readonly count: (type: string, clients: number) => void;
}

/**
 * The open streams of one user, and what they have not been told yet. A message on the bus is only a name: the feed
 * collects names while a read is under way and then reads all of them at once, so that a hundred changes of one
 * workspace are one event, and every event tells the newest state.
 */
export class UserFeed {
  readonly userId: string;
  readonly clients = new Set<SseClient>();
  readonly #deps: FeedDeps;
  readonly #updated = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly #progress = new Set<string>();
  #running = false;

  constructor(userId: string, deps: FeedDeps) {
    this.userId = userId;
    this.#deps = deps;
  }

  note(change: ChangeMessage): void {
    if (change.kind === "deleted") this.#deleted.add(change.id);
    (change.kind === "progress" ? this.#progress : this.#updated).add(change.id);
    this.wake();
  }

  invalidate(reason: string): void {
    for (const client of this.clients) client.invalidate(reason);
    this.wake();
  }

  /** Starts telling, unless that is under way: one read at a time keeps events in order. */
  wake(): void {
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      while (this.clients.size > 0 && this.#hasNews()) {
        try {
          await this.#tell();
        } catch (error) {
          // Nothing is forgotten by a failed read: after it, everybody starts over from a snapshot.
          for (const client of this.clients) client.invalidate("the database could not be read");
          this.#deps.logger.warn({ userId: this.userId, error: String(error) }, "events could not be read");
          await this.#deps.pause();
        }
      }
    } finally {
      this.#running = false;
    }
  }

  #hasNews(): boolean {
    if (this.#updated.size > 0 || this.#progress.size > 0) return true;
    for (const client of this.clients) if (client.needsSnapshot) return true;
    return false;
  }

  async #tell(): Promise<void> {
    const waiting = [...this.clients].filter((client) => client.needsSnapshot);
    if (waiting.length > 0) await this.#tellSnapshot(waiting);
    const updated = take(this.#updated);
    const deleted = take(this.#deleted);
    const progress = take(this.#progress).filter((id) => !updated.includes(id));
    if (updated.length + progress.length === 0) return;
    // The channel says whose they are; the rows are asked again, because this is where one user's data could reach another.
    const views = await this.#deps.views.summariesOf(this.userId, [...updated, ...progress]);
    for (const view of views) {
      if (progress.includes(view.row.id)) this.#tellProgress(view);
      else this.#tellUpdate(view, deleted.includes(view.row.id));
    }
  }

  async #tellSnapshot(waiting: readonly SseClient[]): Promise<void> {
    const views = await this.#deps.views.ofOwner(this.userId);
    const text = frame("snapshot", { workspaces: views.map((view) => this.#deps.present(view)) });
    for (const client of waiting) client.sendSnapshot(text);
    this.#deps.count("snapshot", waiting.length);
  }

  #tellUpdate(view: WorkspaceSummaryView, deleted: boolean): void {
    const { row } = view;
    const gone =
      deleted && row.deletedAt !== null ? frame("workspace_deleted", { id: row.id, version: row.rowVersion }) : "";
    this.#send("workspace_updated", gone + frame("workspace_updated", this.#deps.present(view)));
  }

  #tellProgress(view: WorkspaceSummaryView): void {
    const { progress, version, id } = this.#deps.present(view);
    if (progress) this.#send("workspace_progress", frame("workspace_progress", { id, version, progress }));
  }

  #send(type: string, text: string): void {
    let clients = 0;
    for (const client of this.clients) if (client.send(text)) clients += 1;
    this.#deps.count(type, clients);
  }
}

function take(set: Set<string>): string[] {
  const taken = [...set];
  set.clear();
  return taken;
}
