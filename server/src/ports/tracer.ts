/**
 * What a request sets off, in whichever process: named by the workspace and by the number that every accepted request gets in its row, so
 * that nothing else has to travel from who asks to who acts.
 */
export interface Journey {
  readonly workspaceId: string;
  /** `desiredVersion` of the row. */
  readonly version: number;
}

/** Something that took a while and is over. */
export interface Span {
  readonly journey: Journey;
  /** One in its journey, whoever makes it up: the same words are the same span. */
  readonly id: string;
  /** The id of what it is a part of; null for the request itself. */
  readonly parent: string | null;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly fields: Readonly<Record<string, string | number>>;
  /** What kind of failure ended it; no words of anybody's, because they may say anything. */
  readonly failure: string | null;
}

/** The span that every journey begins with. */
export const REQUEST = "request";

export interface Tracer {
  /** Returns at once and never throws. */
  readonly record: (span: Span) => void;
}
