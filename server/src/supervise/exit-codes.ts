/**
 * How the server's end says what it was. The numbers are those of sysexits.h, which service managers know too
 * (`RestartPreventExitStatus=69 78`).
 */
export const EXIT = {
  /** It was told to. */
  inOrder: 0,
  /** Something did not work, and may work the next time. */
  failed: 1,
  /** A command was not understood. */
  usage: 64,
  /** What it needs for itself is somebody else's: its port, or its data directory. */
  taken: 69,
  /** Something happened that nobody expected. */
  fault: 70,
  /** A person has to change something first. */
  configuration: 78,
} as const;
