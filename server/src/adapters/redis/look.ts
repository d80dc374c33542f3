import { Redis } from "ioredis";

/** One connection, one question, no second try. Rejects with what Redis or the system says. */
export async function lookAtRedis(url: string): Promise<void> {
  const redis = new Redis(url, {
    connectionName: "codehub doctor",
    lazyConnect: true,
    connectTimeout: 5_000,
    commandTimeout: 5_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let lastSaid: Error | null = null;
  redis.on("error", (error: Error) => {
    lastSaid = error;
  });
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    // "Connection is closed" is what a command hears; why is what the connection heard.
    throw lastSaid ?? error;
  } finally {
    redis.disconnect();
  }
}
