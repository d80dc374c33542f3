import type { Bus, Subscription } from "#ports/bus.ts";
import { type Channels, checkChannel, wakeChannels } from "./channels.ts";
import { EVERYTHING } from "./listener.ts";

/** The coordinator's ear on the bus: a workspace's id, or null for "look at everything" after a gap. */
export const busHints = (bus: Bus, channels: Channels) => ({
  subscribe(onHint: (workspaceId: string | null) => void): Subscription {
    const [observer] = wakeChannels(channels);
    const pending = bus.subscribe(observer ?? "", (message) => onHint(message === EVERYTHING ? null : message));
    const loss = bus.onLoss(() => onHint(null));
    return {
      end: () => {
        loss.end();
        void pending.then((subscription) => subscription.end());
      },
    };
  },
});

/** The same for whoever answers people that test their keys. What is lost is found by looking. */
export const checkHints = (bus: Bus, channels: Channels) => ({
  subscribe(onHint: () => void): Subscription {
    const pending = bus.subscribe(checkChannel(channels), onHint);
    return { end: () => void pending.then((subscription) => subscription.end()) };
  },
});
