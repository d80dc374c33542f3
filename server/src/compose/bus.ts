import { MemoryActivityBuffer } from "#adapters/memory/activity.ts";
import { MemoryBus } from "#adapters/memory/bus.ts";
import type { Config } from "#config/config.ts";
import type { Channels } from "#events/channels.ts";
import type { ActivityBuffer } from "#ports/activity.ts";
import type { Bus } from "#ports/bus.ts";
import type { Logger } from "#ports/logger.ts";
import { channelNames } from "./settings.ts";

export interface Signals {
  readonly bus: Bus;
  readonly activity: ActivityBuffer;
  readonly channels: Channels;
  readonly close: () => Promise<void>;
}

/** Redis where it is configured, else this one process's memory and nothing of Redis is loaded: the same interface either way. */
export async function openSignals(config: Config, logger: Logger): Promise<Signals> {
  const channels = channelNames(config);
  if (config.REDIS_URL === null) {
    const bus = new MemoryBus();
    return { bus, activity: new MemoryActivityBuffer(), channels, close: () => bus.close() };
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
