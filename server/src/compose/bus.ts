import { MemoryActivityBuffer } from "#adapters/memory/activity.ts";
import { MemoryBus } from "#adapters/memory/bus.ts";
import { PostgresBus } from "#adapters/postgres/bus.ts";
import { PostgresNotificationSource } from "#adapters/postgres/notification-source.ts";
import { API_ROLE } from "#adapters/postgres/roles.ts";
import { PostgresActivityBuffer } from "#adapters/postgres/stores/activity-buffer.ts";
import type { Config } from "#config/config.ts";
import { ROLES } from "#config/variables.ts";
import type { Channels } from "#events/channels.ts";
import type { ActivityBuffer } from "#ports/activity.ts";
import type { Bus } from "#ports/bus.ts";
import type { Logger } from "#ports/logger.ts";
import type { Database } from "./database.ts";
import { channelNames } from "./settings.ts";

export interface Signals {
  readonly bus: Bus;
  readonly activity: ActivityBuffer;
  readonly channels: Channels;
  readonly close: () => Promise<void>;
}

/**
 * Redis where it is configured, else nothing of it is loaded: a process that does everything hears itself, and several that
 * share the work hear each other through the database. The same interface every time.
 */
export async function openSignals(
  config: Config,
  database: Pick<Database, "url" | "api">,
  logger: Logger,
): Promise<Signals> {
  const channels = channelNames(config);
  if (config.REDIS_URL === null && config.ROLES.length === ROLES.length) {
    const bus = new MemoryBus();
    return { bus, activity: new MemoryActivityBuffer(), channels, close: () => bus.close() };
  }
  if (config.REDIS_URL === null) {
    const source = new PostgresNotificationSource(database.url, logger, API_ROLE);
    const bus = new PostgresBus({ pool: database.api, source });
    return { bus, activity: new PostgresActivityBuffer(database.api), channels, close: () => bus.close() };
  }
  const [{ RedisActivityBuffer }, { RedisBus }] = await Promise.all([
    import("#adapters/redis/activity.ts"),
    import("#adapters/redis/bus.ts"),
  ]);
  const settings = {
    url: config.REDIS_URL,
    onError: (error: Error) => logger.warn({ error: error.message }, "Redis does not answer"),
  };
  const bus = new RedisBus(settings);
  const activity = new RedisActivityBuffer(settings);
  const close = async (): Promise<void> => {
    await Promise.all([bus.close(), activity.close()]);
  };
  return { bus, activity, channels, close };
}
