import { span } from "./span.ts";

/** How moments are said: the dashboard says them in its reader's zone, the server in UTC. */
export interface Voice {
  /** A moment: "14:02 UTC". */
  readonly time: (at: number) => string;
  /** A moment that may have come already: "in 8 min", "any moment". */
  readonly upcoming: (at: number) => string;
}

/** "14:02 UTC", with the day where it is not today's. For readers of whom no zone is known. */
export const utcVoice = (now: number): Voice => ({
  time: (at) => {
    const text = new Date(at).toISOString();
    const time = `${text.slice(11, 16)} UTC`;
    const day = text.slice(0, 10);
    return day === new Date(now).toISOString().slice(0, 10) ? time : `${day} ${time}`;
  },
  upcoming: (at) => (at > now ? `in ${span(at - now)}` : "any moment"),
});

/** Every moment with its day: for texts that are kept and read on another one. */
export const datedVoice: Voice = {
  time: (at) => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`,
  upcoming: (at) => `at ${datedVoice.time(at)}`,
};
