import type { Voice } from "@codehub/contract";
import { dayAndTime, upcoming } from "../format/format.ts";

/** Moments in the reader's own zone. */
export const localVoice: Voice = { time: dayAndTime, upcoming: dayAndTime };

/** The same where the page's clock counts down to what is coming. */
export const countdownVoice = (now: number): Voice => ({ ...localVoice, upcoming: (at) => upcoming(at, now) });
