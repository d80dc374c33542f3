import { RedisActivityBuffer } from "#adapters/redis/activity.ts";
import { systemClock as clock } from "#adapters/system/clock.ts";
import { createLogger } from "#adapters/system/logger.ts";
import { ActivityRecorder } from "#events/activity.ts";

/** What a proxy does with the activity it sees, as a process that can be killed: it never ends by itself. */
const [url = "", source = "", workspaceId = ""] = process.argv.slice(2);
const logger = createLogger({ level: "error", destination: process.stderr });
const buffer = new RedisActivityBuffer({ url, onError: () => undefined });
await buffer.ready();
const recorder = new ActivityRecorder({ source, buffer, clock, logger, flushMs: 50 });
recorder.touch(workspaceId);
await recorder.run(new AbortController().signal);
