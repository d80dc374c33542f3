import type { PortList, SharePort } from "@codehub/contract";

type Audience = SharePort["audience"];
type Bound = PortList["sharing"];

export const portStates: Readonly<Record<PortList["state"], string | null>> = {
  listed: null,
  not_running: "What listens is seen while the workspace runs.",
  unknown: "What listens cannot be seen right now. Links to ports may work all the same.",
};

const SPANS = [
  { seconds: 3_600, words: "for 1 hour" },
  { seconds: 8 * 3_600, words: "for 8 hours" },
  { seconds: null, words: "until I close it" },
] as const;

const AUDIENCES: Readonly<Record<Audience, string>> = { users: "Signed-in users", public: "Public" };

/** With whom a port is shared, in a few words. */
export const audienceWords: Readonly<Record<Audience, string>> = {
  users: "Shared with signed-in users",
  public: "Public: open to everybody",
};

export interface ShareChoice extends SharePort {
  readonly label: string;
}

/** All that the operator allows. */
export const shareChoices = (bound: Bound): readonly ShareChoice[] =>
  (["users", "public"] as const)
    .filter((audience) => bound === "public" || bound === audience)
    .flatMap((audience) =>
      SPANS.map(({ seconds, words }) => ({
        audience,
        for_seconds: seconds,
        label: `${AUDIENCES[audience]}, ${words}`,
      })),
    );

/** What the operator does not allow, where that is anything. */
export const boundWords: Readonly<Record<Bound, string | null>> = {
  off: "Only you can open them: sharing is off on this server.",
  users: "Ports cannot be made public on this server.",
  public: null,
};

const spanOf = (seconds: number | null): string =>
  SPANS.find((span) => span.seconds === seconds)?.words.replace("I close", "you close") ?? "for a time";

const WHO: Readonly<Record<Audience, string>> = {
  users: "everybody with an account on this server",
  public: "everybody on the network who has the address, without signing in,",
};
const WARNINGS: Readonly<Record<Audience, string>> = {
  users: "",
  public:
    " Treat the address as known to strangers: it may be passed on and scanned. Share no debugger, no admin page without a password, and nothing that shows keys.",
};

/** What is asked before a port is shared. */
export const shareWords = (port: number, { audience, for_seconds }: SharePort) => ({
  title: audience === "public" ? `Make port ${port} public?` : `Share port ${port}?`,
  text:
    `${spanOf(for_seconds).replace(/^./, (letter) => letter.toUpperCase())}, ${WHO[audience]} can use the program on port ${port} while the workspace runs, ` +
    `and whatever listens there later. They get to nothing else of the workspace, and cannot start it.${WARNINGS[audience]}`,
  button: audience === "public" ? "Make public" : "Share",
});
