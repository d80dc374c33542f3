import { Redis } from "ioredis";

export interface RedisSettings {
  readonly url: string;
  /** Told of connection errors; ioredis reconnects by itself, so these are news and not failures. */
  readonly onError: (error: Error) => void;
}

/**
 * `offlineQueue: false` makes a command fail at once while Redis is away: a hint that is late by minutes is worth
 * nothing, and a queue that grows through an outage is worth less.
 */
export function connectRedis(settings: RedisSettings, name: string): Redis {
  const redis = new Redis(settings.url, {
    connectionName: name,
    enableOfflineQueue: false,
    maxRetriesPerRequest: null,
    autoResubscribe: false,
    connectTimeout: 5_000,
    // One that hangs holds up nobody: what is said through Redis is said again.
    commandTimeout: 5_000,
    keepAlive: 10_000,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), 2_000),
  });
  redis.on("error", settings.onError);
  return redis;
}
