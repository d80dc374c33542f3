import { type Duplex, Writable } from "node:stream";
import type { JobBytes } from "#jobs/job-channel.ts";
import type { JobExit, RunningJob } from "#jobs/job-launcher.ts";
import { createContainer, inspectContainer, removeContainer } from "./containers.ts";
import type { Engine } from "./engine.ts";
import { splitFrames } from "./frames.ts";

const RETRY_MS = 500;

export interface StartedJob extends Omit<RunningJob, "bytes" | "release"> {
  /** The container's own input and output. */
  readonly streams: JobBytes & { readonly input: Writable };
}

/** Containers of jobs that this process talks with, from their start until they are positively gone. */
export class JobContainers {
  readonly #engine: Engine;
  /** How to stop holding up the output of jobs that this process reads from, by container. */
  readonly #discards = new Map<string, () => void>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** It reads from its input and is removed by the engine when it ends. */
  async start(body: { readonly Image: string; readonly [more: string]: unknown }): Promise<StartedJob> {
    const id = await createContainer(this.#engine, body, { use: "job" });
    let socket: Duplex | null = null;
    try {
      const query = { stream: "1", stdin: "1", stdout: "1", stderr: "1" };
      socket = await this.#engine.hijack(`/containers/${id}/attach`, query);
      // Asked before the start: a job that ends at once must not be missed. Its container goes by itself when it ends.
      const ended = this.#engine.stream("POST", `/containers/${id}/wait`, { query: { condition: "removed" } });
      ended.catch(() => {});
      await this.#engine.need("POST", `/containers/${id}/start`, { timeoutMs: 60_000 });
      return this.#started(body.Image, id, socket, ended);
    } catch (error) {
      socket?.destroy();
      await removeContainer(this.#engine, id);
      throw error;
    }
  }

  /** While its output is held up, an engine does not end a container. */
  discard(id: string): void {
    this.#discards.get(id)?.();
  }

  #started(image: string, id: string, socket: Duplex, ended: ReturnType<Engine["stream"]>): StartedJob {
    const { stdout, stderr, discard } = splitFrames(socket);
    this.#discards.set(id, discard);
    const exited = this.#end(id, ended).then((exit) => {
      this.#discards.delete(id);
      // Both streams come through one connection: output of a failed job that nobody reads must not hold up its report.
      if (exit.code !== 0) discard();
      return exit;
    });
    return {
      image,
      stderr,
      streams: { input: inputOf(socket), output: stdout },
      exited,
      kill: () => {
        discard();
        // Whether it worked is told by `exited`, which insists.
        removeContainer(this.#engine, id).catch(() => {});
      },
    };
  }

  /** Resolves when the container is positively gone; an engine that is away is asked again until it answers. */
  async #end(id: string, ended: ReturnType<Engine["stream"]>): Promise<JobExit> {
    let code = await exitCodeFrom(ended);
    for (;;) {
      try {
        const container = await inspectContainer(this.#engine, id);
        if (container === null) return { code };
        if (container.State.Running) {
          const again = this.#engine.stream("POST", `/containers/${id}/wait`);
          code = await exitCodeFrom(again);
        } else {
          code ??= container.State.Status === "exited" ? container.State.ExitCode : null;
          await removeContainer(this.#engine, id);
          return { code };
        }
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }
}

async function exitCodeFrom(waiting: ReturnType<Engine["stream"]>): Promise<number | null> {
  try {
    let text = "";
    for await (const chunk of await waiting) text += chunk;
    return (JSON.parse(text) as { StatusCode: number }).StatusCode;
  } catch {
    return null;
  }
}

/** Only the writing half: whoever gives up on it must not cut off what the job still says. */
function inputOf(socket: Duplex): Writable {
  socket.on("error", () => {});
  const told =
    (done: (error?: Error | null) => void) =>
    (error?: Error | null): void =>
      done(error ? brokenPipe(error) : null);
  return new Writable({
    highWaterMark: 256 * 1024,
    write: (chunk: Buffer, _encoding, done) => {
      socket.write(chunk, told(done));
    },
    final: (done) => {
      socket.end(told(done));
    },
  });
}

/** However the connection went away, it means what a pipe's end means: the job reads no more, and its outcome says why. */
function brokenPipe(cause: Error): Error {
  return Object.assign(new Error("the storage job stopped reading", { cause }), { code: "EPIPE" });
}
