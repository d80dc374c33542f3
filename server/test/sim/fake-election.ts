import type { Ms } from "#core/rows/workspace.ts";
import type { ProcessIdentity } from "#core/rules/succession.ts";
import type { Election, Term } from "#ports/election.ts";
import { NotLeader } from "#ports/store.ts";
import type { Database } from "./database.ts";
import { leaderStore, type StoreOptions } from "./fake-store.ts";
import type { SimProcess } from "./process.ts";
import type { Pending } from "./scheduler.ts";
import type { Sim } from "./sim.ts";

export interface ElectionOptions extends StoreOptions {
  /** The server drops a session that was silent for this long. */
  readonly idleSessionMs: number;
  /** Who a process says that it is. */
  readonly identityOf: (process: SimProcess) => ProcessIdentity | null;
}

/** One connection that holds, or tried to hold, the lock. */
export interface Session {
  readonly process: SimProcess;
  open: boolean;
  /** The client's side cannot reach the server any more, and neither knows yet. */
  cut: boolean;
}

/** The session lock, with the ways in which it is lost. */
export class Elections {
  readonly #sim: Sim;
  readonly #db: Database;
  readonly #options: ElectionOptions;
  readonly #lost: Map<Session, AbortController> = new Map();
  readonly #idle: Map<Session, Pending> = new Map();
  readonly #turns: Map<SimProcess, number> = new Map();
  #turn = 0;
  holder: Session | null = null;

  constructor(sim: Sim, db: Database, options: ElectionOptions) {
    this.#sim = sim;
    this.#db = db;
    this.#options = options;
  }

  /** The how-manieth leader this process was the last time it led; epochs go back with a backup, and these do not. */
  turnOf(process: SimProcess): number | null {
    return this.#turns.get(process) ?? null;
  }

  of(process: SimProcess): Election {
    return {
      campaign: async (signal) => {
        if (signal.aborted) return null;
        const attempt = this.#sim.call({
          process,
          port: "database",
          name: "campaign",
          about: "",
          reads: false,
          effect: () => this.#take(process),
        });
        try {
          const term = await attempt;
          return term;
        } catch {
          // The session died with the error: a lock it had taken is free again.
          if (this.holder?.process === process) this.#drop(this.holder, "campaign failed");
          return null;
        }
      },
    };
  }

  /** The server ends the session. The client learns it now, or at its next ping. */
  drop(session: Session, tell: boolean): void {
    this.#drop(session, "session dropped");
    if (tell) session.process.deliver(() => this.#lost.get(session)?.abort());
  }

  /** Packets vanish in both directions: the server frees the lock when it has heard nothing for long enough. */
  cut(session: Session): void {
    session.cut = true;
  }

  #take(process: SimProcess): Term | null {
    if (this.holder !== null) return null;
    const session: Session = { process, open: true, cut: false };
    const lost = new AbortController();
    this.holder = session;
    this.#lost.set(session, lost);
    this.#heard(session);
    const { epoch, former } = this.#db.mintEpoch(this.#options.identityOf(process));
    this.#turns.set(process, ++this.#turn);
    this.#sim.trace(() => `${process.name} LEADS with epoch ${epoch}`);
    this.#sim.sometimes("election: a leader was elected");
    const access = { sim: this.#sim, db: this.#db, process };
    return {
      epoch,
      former,
      begin: () => this.#record(session, "begun", epoch),
      end: () => this.#record(session, "ended", epoch),
      store: leaderStore(access, epoch, this.#options),
      lost: lost.signal,
      ping: () => this.#ping(session),
      release: () => this.#release(session),
    };
  }

  #ping(session: Session): Promise<Ms> {
    return this.#sim.call({
      process: session.process,
      port: "database",
      name: "ping",
      about: "",
      reads: false,
      timeoutMs: 5_000,
      effect: () => {
        if (!session.open || session.cut) throw new Error("the session is gone");
        this.#heard(session);
        return this.#db.now;
      },
    });
  }

  #record(session: Session, fact: "begun" | "ended", epoch: number): Promise<void> {
    return this.#sim.call({
      process: session.process,
      port: "database",
      name: fact,
      about: "",
      reads: false,
      timeoutMs: 5_000,
      effect: () => {
        if (!session.open || session.cut) throw new Error("the session is gone");
        if (!this.#db.recordTerm(fact, epoch)) throw new NotLeader(`epoch ${epoch} is over`);
        this.#heard(session);
      },
    });
  }

  async #release(session: Session): Promise<void> {
    try {
      await this.#sim.call({
        process: session.process,
        port: "database",
        name: "release",
        about: "",
        reads: false,
        effect: () => {
          if (!session.cut) this.#drop(session, "released");
        },
      });
    } catch {
      // Closing a connection cannot fail for its owner; the server notices later.
    }
  }

  #heard(session: Session): void {
    const before = this.#idle.get(session);
    if (before !== undefined) before.cancelled = true;
    const { scheduler } = this.#sim;
    this.#idle.set(
      session,
      scheduler.after(this.#options.idleSessionMs, () => {
        this.#sim.sometimes("election: a silent session was dropped");
        this.#drop(session, "idle too long");
      }),
    );
  }

  #drop(session: Session, why: string): void {
    if (!session.open) return;
    session.open = false;
    const idle = this.#idle.get(session);
    if (idle !== undefined) idle.cancelled = true;
    if (this.holder === session) {
      this.holder = null;
      this.#sim.trace(() => `${session.process.name} lost the lock: ${why}`);
    }
  }
}
