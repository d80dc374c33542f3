import { metaKey, parseArchiveKey } from "#core/rows/names.ts";
import type { ArchiveFacts } from "#core/rows/workspace.ts";
import {
  FORMAT_VERSION,
  type JobReport,
  type ObjectFacts,
  type PackFacts,
  type TreeFacts,
} from "#job-program/protocol.ts";
import type { ArchiveMeta, ArchiveStore, DirectUploads } from "#ports/archives.ts";
import type { Clock, Ids } from "#ports/clock.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { ArchiveSpec, JobOptions, Restored, RestoreSpec, StorageJobs } from "#ports/jobs.ts";
import type { JobBytes } from "./job-channel.ts";
import { converse } from "./job-conversation.ts";
import type { DirectJobs, JobLabels, JobLaunch, JobLauncher } from "./job-launcher.ts";
import { progressWithRate } from "./rate.ts";
import { ReaderAhead } from "./reader-ahead.ts";
import { settle } from "./settle.ts";
import { bodyOf, corrupted, feed } from "./transfer.ts";

interface PackedAndStored {
  readonly packed: PackFacts;
  readonly uploaded: { readonly sizeBytes: number; readonly sha256: string };
}

/** How the bytes of a job get to it or away, and what it says last. Nothing of it where it sees to its bytes itself. */
interface Ways {
  readonly carry?: (bytes: JobBytes, outcome: Promise<unknown>) => Promise<void>;
  readonly onClosing?: (report: JobReport) => void;
}

/** A fault that may pass (the store answers with an error, a connection breaks) is tried again inside the attempt. */
const TRIES = 3;
const FIRST_PAUSE_MS = 500;

/**
 * The storage job of every runtime: the launcher starts the program beside the volume, this class carries the bytes
 * between it and the archive store and believes nothing that was not read back.
 */
export class StorageJobRunner implements StorageJobs {
  readonly #store: ArchiveStore;
  readonly #launcher: JobLauncher;
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(parts: { store: ArchiveStore; launcher: JobLauncher; clock: Clock; ids: Ids }) {
    this.#store = parts.store;
    this.#launcher = parts.launcher;
    this.#clock = parts.clock;
    this.#ids = parts.ids;
  }

  archive(spec: ArchiveSpec, options: JobOptions): Promise<ArchiveFacts> {
    const launch: JobLaunch = {
      request: { kind: "pack", workspaceId: spec.workspaceId },
      labels: spec,
      volume: { name: spec.volume, access: "read" },
    };
    return this.#persist(options.signal, () => this.#makeArchive(spec, launch, options));
  }

  archiveEmpty(
    spec: { workspaceId: string; attempt: string; key: string },
    options: JobOptions,
  ): Promise<ArchiveFacts> {
    const launch: JobLaunch = { request: { kind: "pack-empty" }, labels: spec, volume: null };
    return this.#persist(options.signal, () => this.#makeArchive(spec, launch, options));
  }

  restore(spec: RestoreSpec, options: JobOptions): Promise<Restored> {
    return this.#persist(options.signal, async () => {
      await this.#checkMarker(spec.key, spec.expected);
      const { manifestDigest, entryCount, contentBytes, formatVersion } = spec.expected;
      const { workspaceId, attempt } = spec;
      const { homeOwner } = this.#launcher;
      const launch = (object: ObjectFacts | null): JobLaunch => ({
        request: {
          kind: "unpack",
          expected: { manifestDigest, entryCount, contentBytes },
          formatVersion,
          identity: { workspaceId, attempt, archiveKey: spec.key, manifestDigest },
          object,
          ...(homeOwner === undefined ? {} : { owner: homeOwner }),
        },
        labels: { workspaceId, attempt },
        volume: { name: spec.volume, access: "write" },
      });
      const report = await this.#feedJob(launch, spec.key, spec.expected, options);
      if (!("unpacked" in report)) throw unexpected(report);
      const found = report.unpacked.identity;
      if (found.workspaceId !== workspaceId || found.attempt !== attempt) {
        throw new OperationFailure(
          "ActionFailed",
          `the volume ${spec.volume} belongs to attempt ${found.attempt} of workspace ${found.workspaceId} already`,
        );
      }
      return { given: report.unpacked.given ?? 0 };
    });
  }

  verify(spec: { key: string; expected: ArchiveFacts }, options: JobOptions): Promise<void> {
    return this.#persist(options.signal, async () => {
      await this.#checkMarker(spec.key, spec.expected);
      await this.#readBack(spec.key, spec.expected, spec.expected, options);
    });
  }

  find(workspaceId: string): Promise<string[]> {
    return this.#launcher.find(workspaceId);
  }

  end(workspaceId: string): Promise<void> {
    return this.#launcher.end(workspaceId);
  }

  async #makeArchive(spec: JobLabels & { key: string }, launch: JobLaunch, options: JobOptions): Promise<ArchiveFacts> {
    const earlier = await this.#store.head(spec.key);
    if (earlier !== null) {
      const facts = await this.#acceptEarlier(spec, earlier.meta, options);
      if (facts !== null) return facts;
      await this.#store.remove(spec.key);
    }
    const ahead = this.#mayReadAhead() ? new ReaderAhead() : null;
    try {
      const begin = (packed: PackFacts): void =>
        ahead?.begin(() => this.#readBack(spec.key, packed, ahead.stored.promise, options));
      return await this.#upload(spec.key, launch, { options, onPacked: begin }, async ({ packed, uploaded }) => {
        const facts: ArchiveFacts = { ...packed, ...uploaded };
        const { workspaceId, attempt } = spec;
        await this.#store.putMeta(spec.key, { ...facts, workspaceId, attempt, createdAt: this.#clock.nowMs() });
        await this.#checkStored(spec.key, facts, ahead, options);
        return facts;
      });
    } finally {
      await ahead?.end();
    }
  }

  /** It is what was recorded, read from where it is stored; if not, it is taken away. */
  async #checkStored(key: string, facts: ArchiveFacts, ahead: ReaderAhead | null, options: JobOptions): Promise<void> {
    try {
      await this.#checkMarker(key, facts);
      await (ahead?.go(facts) ?? this.#readBack(key, facts, facts, options));
    } catch (error) {
      if (!(error instanceof OperationFailure) || error.reason !== "ArchiveCorrupted") throw error;
      // The volume is still there, so this is a failed attempt and not a lost home: take the bad copy away.
      await this.#store.remove(key);
      throw new OperationFailure("ActionFailed", `the archive did not read back as written: ${error.message}`, {
        cause: error,
      });
    }
  }

  /** A job that is fed needs nothing of the object before its first byte. */
  #mayReadAhead(): boolean {
    return this.#launcher.direct == null && !this.#givesFiles();
  }

  #givesFiles(): boolean {
    return this.#launcher.takesFiles && this.#store.openFile !== undefined;
  }

  /** The same attempt ran before and its archive is whole: then it is the result. Otherwise null. */
  async #acceptEarlier(
    spec: JobLabels & { key: string },
    meta: ArchiveMeta | null,
    options: JobOptions,
  ): Promise<ArchiveFacts | null> {
    if (meta === null) return null;
    const { workspaceId, attempt, createdAt: _, ...facts } = meta;
    if (workspaceId !== spec.workspaceId || attempt !== spec.attempt) return null;
    try {
      await this.#readBack(spec.key, facts, facts, options);
      return facts;
    } catch (error) {
      if (error instanceof OperationFailure && error.reason === "ArchiveCorrupted") return null;
      throw error;
    }
  }

  /** Runs the job that packs until what it sent is an object, and then `finish` with what that is. */
  async #upload<T>(
    key: string,
    launch: JobLaunch,
    { options, onPacked }: { readonly options: JobOptions; readonly onPacked: (packed: PackFacts) => void },
    finish: (made: PackedAndStored) => Promise<T>,
  ): Promise<T> {
    const { direct } = this.#launcher;
    if (direct != null) return await this.#uploadDirect(direct, key, { launch, options }, finish);
    let uploaded: { sizeBytes: number; sha256: string } | null = null;
    // The object is finished while the job goes away, which takes an engine a while. Its marker waits for the job's end:
    // without one it is an upload that was never finished.
    const { promise: saidAll, resolve, reject } = Promise.withResolvers<void>();
    const carry = async ({ output }: JobBytes, outcome: Promise<unknown>): Promise<void> => {
      const body = bodyOf(output, saidAll);
      outcome.catch((error: Error) => {
        reject(error);
        // One that had said all before it failed: a store that takes its time is not waited for.
        body.destroy(error);
      });
      uploaded = await this.#store.put(key, body, options.signal);
    };
    const onClosing = (closing: JobReport): void => {
      resolve();
      if ("packed" in closing) onPacked(closing.packed);
    };
    const report = await this.#run(launch, options, { carry, onClosing });
    if (!("packed" in report) || uploaded === null) throw unexpected(report);
    return await finish({ packed: report.packed, uploaded });
  }

  /**
   * The job sends; what it sent becomes an object only when it ended well and said what that is. Nobody waits for its engine to
   * take it away before that, because it can send no more; only the archive is not done before it is gone.
   */
  async #uploadDirect<T>(
    direct: DirectJobs,
    key: string,
    { launch, options }: { readonly launch: JobLaunch; readonly options: JobOptions },
    finish: (made: PackedAndStored) => Promise<T>,
  ): Promise<T> {
    const store = requireDirect(this.#store);
    const { parts, partBytes } = await direct.partsFor(launch.volume?.name ?? null);
    const upload = await store.begin(key);
    let isOpen = true;
    try {
      const addresses = await store.sign(key, upload, parts, direct.validSeconds);
      const send = { addresses, partBytes };
      const job = { ...launch, addresses: { send, ca: direct.ca } };
      return await this.#runAnd(job, options, {}, async (report) => {
        if (!("packed" in report) || report.sent === undefined) throw unexpected(report);
        const { sizeBytes, sha256 } = report.sent;
        await store.complete(key, upload, report.sent.parts, sizeBytes);
        isOpen = false;
        return await finish({ packed: report.packed, uploaded: { sizeBytes, sha256 } });
      });
    } catch (error) {
      // Parts cost money for ever if nobody takes them away. What stays after all is collected as a stale upload.
      if (isOpen) await store.abort(key, upload).catch(() => {});
      throw error;
    }
  }

  /**
   * Reads the whole object, decodes it in a job, and compares what is in it with what was recorded. The job may be started
   * before the object is stored, and waits for that.
   */
  async #readBack(
    key: string,
    foretold: TreeFacts,
    stored: ArchiveFacts | Promise<ArchiveFacts>,
    options: JobOptions,
  ): Promise<void> {
    const limits = { entryCount: foretold.entryCount, contentBytes: foretold.contentBytes };
    const place = parseArchiveKey(key);
    if (place === null) throw new OperationFailure("ActionFailed", `${key} is not the key of an archive`);
    const launch = (object: ObjectFacts | null): JobLaunch => ({
      request: { kind: "inspect", limits, object },
      labels: { workspaceId: place.workspaceId, attempt: place.opId },
      volume: null,
    });
    const report = await this.#feedJob(launch, key, stored, options);
    if (!("inspected" in report)) throw unexpected(report);
    const { manifestDigest, entryCount, contentBytes } = report.inspected;
    const expected = await stored;
    if (
      manifestDigest !== expected.manifestDigest ||
      entryCount !== expected.entryCount ||
      contentBytes !== expected.contentBytes
    ) {
      throw corrupted(
        `it holds ${entryCount} entries with digest ${manifestDigest}; ` +
          `${expected.entryCount} with ${expected.manifestDigest} were recorded`,
      );
    }
  }

  /** Runs a job with an object as its input: through this process or, where it is a file that the job can have, as that. */
  async #feedJob(
    launch: (object: ObjectFacts | null) => JobLaunch,
    key: string,
    expected: ArchiveFacts | Promise<ArchiveFacts>,
    options: JobOptions,
  ): Promise<JobReport> {
    const { direct } = this.#launcher;
    if (direct != null) {
      const { sha256, sizeBytes } = await expected;
      const read = await requireDirect(this.#store).signRead(key, direct.validSeconds);
      const job = { ...launch({ sha256, sizeBytes }), addresses: { read, ca: direct.ca } };
      return await this.#run(job, options);
    }
    if (!this.#givesFiles() || this.#store.openFile === undefined) {
      const carry: Ways["carry"] = async ({ input }) => {
        if (input === null) throw new Error("the job has a file already");
        const facts = await expected;
        const source = await this.#store.get(key, options.signal);
        await feed(source, facts, input);
      };
      return await this.#run(launch(null), options, { carry });
    }
    const { sha256, sizeBytes } = await expected;
    const input = await this.#store.openFile(key);
    try {
      return await this.#run({ ...launch({ sha256, sizeBytes }), input }, options);
    } finally {
      await input.close();
    }
  }

  /** Runs one job to its end. `carry` moves the bytes; when that fails the job is ended. It is gone when this settles. */
  #run(launch: JobLaunch, options: JobOptions, ways: Ways = {}): Promise<JobReport> {
    return this.#runAnd(launch, options, ways, async (report) => report);
  }

  /** The same, with something that only needs that it ended well, while its engine takes it away. */
  async #runAnd<T>(
    launch: JobLaunch,
    options: JobOptions,
    { carry = async () => {}, onClosing = () => {} }: Ways,
    finish: (report: JobReport) => Promise<T>,
  ): Promise<T> {
    options.signal.throwIfAborted();
    const job = await this.#launcher.launch(launch);
    const kill = () => job.kill();
    options.signal.addEventListener("abort", kill, { once: true });
    if (options.signal.aborted) kill();
    const { bytes, outcome } = converse(job, progressWithRate(this.#clock, options.onProgress), onClosing);
    const carrying = bytes.then((open) => {
      // Writing to a job that went away is told by its outcome.
      open.input?.on("error", () => {});
      return carry(open, outcome);
    });
    try {
      const report = await settle(carrying, outcome, kill);
      options.signal.throwIfAborted();
      return await finish(report);
    } catch (error) {
      options.signal.throwIfAborted();
      throw error;
    } finally {
      options.signal.removeEventListener("abort", kill);
      kill();
      await job.exited;
      await bytes.then(destroy, () => {});
    }
  }

  async #checkMarker(key: string, expected: ArchiveFacts): Promise<void> {
    if (expected.formatVersion > FORMAT_VERSION) {
      throw new OperationFailure(
        "ActionFailed",
        `the archive has format ${expected.formatVersion}, this program knows up to ${FORMAT_VERSION}: upgrade first`,
      );
    }
    const head = await this.#store.head(key);
    const place = parseArchiveKey(key);
    if (head === null) throw corrupted(`there is no object ${key}`);
    if (head.meta === null) throw corrupted(`${metaKey(key)} is missing: the upload was never finished`);
    const { meta } = head;
    if (meta.workspaceId !== place?.workspaceId || meta.attempt !== place.opId) {
      throw corrupted(`${metaKey(key)} belongs to another archive`);
    }
    for (const field of ["sha256", "sizeBytes", "manifestDigest", "entryCount", "formatVersion"] as const) {
      if (meta[field] !== expected[field]) {
        throw corrupted(`${metaKey(key)} says ${field} ${meta[field]}, ${expected[field]} was recorded`);
      }
    }
  }

  async #persist<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        const passing = error instanceof OperationFailure && error.reason === "Unreachable";
        if (!passing || tries >= TRIES || signal.aborted) throw error;
        await this.#clock.sleep(FIRST_PAUSE_MS * 2 ** tries * (0.5 + this.#ids.random() / 2), signal);
      }
    }
  }
}

function requireDirect(store: ArchiveStore): DirectUploads {
  const { begin, sign, complete, abort, signRead } = store;
  if (!begin || !sign || !complete || !abort || !signRead) {
    throw new OperationFailure("ActionFailed", "the archive store gives out no addresses: jobs here need an S3 store");
  }
  return {
    begin: begin.bind(store),
    sign: sign.bind(store),
    complete: complete.bind(store),
    abort: abort.bind(store),
    signRead: signRead.bind(store),
  };
}

function destroy({ input, output }: JobBytes): void {
  input?.destroy();
  output.destroy();
}

function unexpected(report: JobReport): OperationFailure {
  return new OperationFailure(
    "ActionFailed",
    `the storage job gave an answer to another question: ${Object.keys(report)}`,
  );
}
