import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import type { ActivityBuffer, ActivityEntry, ActivitySource } from "#ports/activity.ts";
import { connectRedis, type RedisSettings } from "./connection.ts";

const ACTIVITY = "codehub:activity";
const SOURCES = "codehub:activity:sources";

const REMOVE_UNCHANGED: string = readFileSync(new URL("./remove-unchanged.lua", import.meta.url), "utf8");

export class RedisActivityBuffer implements ActivityBuffer {
  readonly #redis: Redis;

  constructor(settings: RedisSettings) {
    this.#redis = connectRedis(settings, "codehub-activity");
  }

  /** Resolves with the first connection; before it every command is refused. */
  async ready(): Promise<void> {
    if (this.#redis.status !== "ready")
      await new Promise<void>((resolve) => this.#redis.once("ready", () => resolve()));
  }

  async record(source: string, flushedAt: number, entries: readonly ActivityEntry[]): Promise<void> {
    const transaction = this.#redis.multi();
    // GT keeps the newer time, so that a late flush never moves activity back.
    if (entries.length > 0)
      transaction.zadd(ACTIVITY, "GT", ...entries.flatMap(({ workspaceId, at }) => [at, workspaceId]));
    transaction.zadd(SOURCES, "GT", flushedAt, source);
    const results = await transaction.exec();
    for (const [error] of results ?? []) if (error !== null) throw error;
  }

  async read(limit: number): Promise<readonly ActivityEntry[]> {
    return pairs(await this.#redis.zrange(ACTIVITY, "0", String(limit - 1), "WITHSCORES")).map(([workspaceId, at]) => ({
      workspaceId,
      at,
    }));
  }

  async removeUnchanged(entries: readonly ActivityEntry[]): Promise<number> {
    if (entries.length === 0) return 0;
    const args = entries.flatMap(({ workspaceId, at }) => [workspaceId, at]);
    return Number(await this.#redis.eval(REMOVE_UNCHANGED, 1, ACTIVITY, ...args));
  }

  async sources(): Promise<readonly ActivitySource[]> {
    return pairs(await this.#redis.zrange(SOURCES, "0", "-1", "WITHSCORES")).map(([source, flushedAt]) => ({
      source,
      flushedAt,
    }));
  }

  async forget(source: string): Promise<void> {
    await this.#redis.zrem(SOURCES, source);
  }

  /** By score on the server: a source that records meanwhile has a newer one and stays. */
  async forgetSilent(before: number): Promise<void> {
    await this.#redis.zremrangebyscore(SOURCES, "-inf", `(${before}`);
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }
}

/** WITHSCORES answers one flat list: member, score, member, score. */
const pairs = (flat: readonly string[]): [string, number][] =>
  flat.flatMap((member, index) => (index % 2 === 0 ? [[member, Number(flat[index + 1])] as [string, number]] : []));
