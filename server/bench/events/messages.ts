/** When somebody heard of a version of a workspace; nanoseconds as text, because messages are JSON. */
export interface Sample {
  readonly key: string;
  readonly at: string;
}

export type ClientsCommand =
  | {
      readonly kind: "open";
      readonly url: string;
      readonly host: string;
      readonly cookies: string[];
      readonly tabs: number;
    }
  | { readonly kind: "report" };
