import { CALM, type CallFault, type FaultKind, type FaultProfile, type PortName } from "./faults.ts";
import { Prng } from "./prng.ts";
import { EPOCH_MS, type InFlight, type SimProcess } from "./process.ts";
import { Scheduler } from "./scheduler.ts";

export interface Violation {
  readonly invariant: string;
  readonly message: string;
  readonly at: number;
  readonly step: number;
}

/** What a process asks of the world behind one of its ports. */
export interface Call<T> {
  readonly process: SimProcess;
  readonly port: PortName;
  readonly name: string;
  readonly about: string;
  readonly reads: boolean;
  /** Happens at one moment; what it throws is the answer. */
  readonly effect: () => T;
  /** What a repeated request does, where a middleman could repeat it. */
  readonly again?: () => void;
  /** After how long the adapter itself gives up on an answer. */
  readonly timeoutMs?: number;
  /** Errors of the backend itself, in the words of the port. */
  readonly fault?: (why: string) => Error;
}

export interface CrashPoint {
  readonly call: number;
  readonly when: "before" | "after";
}

/** Everything one run shares: time, randomness, faults, counters and the trace. */
export class Sim {
  readonly seed: number;
  readonly random: Prng;
  readonly scheduler: Scheduler;
  readonly tracing: boolean;
  readonly lines: string[] = [];
  readonly faults: Map<FaultKind, number> = new Map();
  readonly seen: Map<string, number> = new Map();
  readonly violations: Violation[] = [];
  profile: FaultProfile = CALM;
  /** Chance that an answer takes up to seconds, also when nothing goes wrong. */
  slowness = 0.04;
  /** Backends that answer nothing at the moment. */
  readonly down: Set<PortName> = new Set();
  /** Kills the process that makes the n-th call of those counted; the crash sweep sets it. */
  crashPoints: CrashPoint[] = [];
  countedCalls = 0;
  onCrashPoint: (process: SimProcess) => void = () => undefined;
  counts: (call: Call<unknown>) => boolean = () => false;
  /** Told of every call in the moment in which it is made. */
  onCall: (call: Call<unknown>) => void = () => undefined;

  constructor(seed: number, tracing: boolean) {
    this.seed = seed;
    this.tracing = tracing;
    this.random = new Prng(seed, 1);
    this.scheduler = new Scheduler(new Prng(seed, 2));
  }

  get wallMs(): number {
    return EPOCH_MS + this.scheduler.now;
  }

  /** The caller builds the line only when somebody will read it. */
  trace(line: () => string): void {
    if (this.tracing) this.lines.push(`${stamp(this.scheduler.now)} ${line()}`);
  }

  /** "Sometimes": something that must be seen at least once in a run of many seeds. */
  sometimes(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  inject(kind: FaultKind, about: () => string): void {
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
    this.trace(() => `! ${kind}: ${about()}`);
  }

  violate(invariant: string, message: string): void {
    const { now, steps } = this.scheduler;
    this.trace(() => `*** ${invariant} VIOLATED: ${message}`);
    this.violations.push({ invariant, message, at: now, step: steps });
  }

  call<T>(call: Call<T>): Promise<T> {
    const { process, random, scheduler } = { process: call.process, random: this.random, scheduler: this.scheduler };
    return new Promise<T>((resolve, reject) => {
      if (!process.alive) return;
      process.calls++;
      this.onCall(call);
      const flight: InFlight = { effect: null };
      process.inFlight.add(flight);
      const answer = (settle: () => void): void => {
        process.deliver(() => {
          process.inFlight.delete(flight);
          settle();
        });
      };
      const refuse = (why: string): void => {
        this.trace(() => `${process.name} ${call.port}.${call.name} ${call.about} -> ${why}`);
        answer(() => reject(call.fault?.(why) ?? new Error(`${call.port}.${call.name}: ${why}`)));
      };
      const act = (): (() => void) => this.#act(call, resolve, reject);
      const crash = this.#crashPoint(call);
      if (crash === "before") {
        scheduler.after(0, () => this.onCrashPoint(process));
        return;
      }
      if (crash === "after") {
        scheduler.after(0, () => {
          act();
          this.onCrashPoint(process);
        });
        return;
      }
      const fault = this.#fault(call);
      const latency = random.chance(this.slowness) ? random.between(100, 5_000) : random.between(1, 40);
      const timeout = call.timeoutMs ?? 30_000;
      const effect = (delay: number, then: (settle: () => void) => void): void => {
        flight.effect = scheduler.after(delay, () => {
          flight.effect = null;
          then(act());
        });
      };
      if (fault !== null) this.inject(fault, () => `${process.name} ${call.port}.${call.name} ${call.about}`);
      switch (fault) {
        case null:
          effect(latency, answer);
          break;
        case "error_before":
          scheduler.after(latency, () => refuse("refused, not done"));
          break;
        case "error_after":
          effect(latency, () => refuse("done, but the answer is an error"));
          break;
        case "hang_before":
          scheduler.after(timeout, () => refuse("no answer in time, not done"));
          break;
        case "hang_after":
          effect(latency, () => undefined);
          scheduler.after(timeout, () => refuse("no answer in time, but done"));
          break;
        case "late_effect":
          scheduler.after(timeout, () => refuse("no answer in time, to be done later"));
          effect(timeout + random.exponential(20 * 60_000), () => undefined);
          break;
        case "duplicate":
          effect(latency, answer);
          scheduler.after(latency + random.exponential(30 * 60_000), () => {
            this.trace(() => `(again) ${process.name} ${call.port}.${call.name} ${call.about}`);
            this.#again(call);
          });
          break;
        case "stale": {
          const late = random.between(1_000, 120_000);
          effect(latency, (settle) => {
            scheduler.after(late, () => answer(settle));
          });
          break;
        }
      }
    });
  }

  #act<T>(call: Call<T>, resolve: (value: T) => void, reject: (error: unknown) => void): () => void {
    try {
      const value = call.effect();
      this.trace(() => `${call.process.name} ${call.port}.${call.name} ${call.about}${shown(value)}`);
      return () => resolve(value);
    } catch (error) {
      this.trace(() => `${call.process.name} ${call.port}.${call.name} ${call.about} -> ${String(error)}`);
      return () => reject(error);
    }
  }

  #again(call: Call<unknown>): void {
    try {
      call.again?.();
    } catch (error) {
      this.trace(() => `(again) refused: ${String(error)}`);
    }
  }

  #crashPoint(call: Call<unknown>): "before" | "after" | null {
    if (!this.counts(call)) return null;
    this.countedCalls++;
    return this.crashPoints.find((point) => point.call === this.countedCalls)?.when ?? null;
  }

  #fault(call: Call<unknown>): CallFault | null {
    if (this.down.has(call.port)) return this.random.chance(0.7) ? "error_before" : "hang_before";
    if (!this.random.chance(this.profile.call[call.port])) return null;
    const kind = this.random.weighted(this.profile.kinds);
    if (call.reads && kind !== "error_before" && kind !== "hang_before") return "stale";
    if (kind === "duplicate" && call.again === undefined) return "error_after";
    // A transaction ends with its session: it is not done long after its client has given up.
    if (kind === "late_effect" && call.port === "database") return "hang_after";
    return kind;
  }
}

function shown(value: unknown): string {
  if (value === undefined) return "";
  if (value === null || typeof value !== "object") return ` = ${String(value)}`;
  return Array.isArray(value) ? ` = [${value.length}]` : " = {…}";
}

function stamp(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const pad = (n: number, width = 2): string => String(n).padStart(width, "0");
  const day = Math.floor(seconds / 86_400);
  const rest = seconds % 86_400;
  return `${day}d ${pad(Math.floor(rest / 3600))}:${pad(Math.floor((rest % 3600) / 60))}:${pad(rest % 60)}.${pad(ms % 1000, 3)}`;
}
