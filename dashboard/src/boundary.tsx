import { Component, type ReactNode, useEffect } from "react";
import { loadAgain } from "./load-again.ts";
import { PartMissing } from "./part.ts";
import { Empty } from "./ui/basics.tsx";
import { Icon } from "./ui/icons.tsx";
import { failureWords } from "./words/failure-words.ts";

interface Props {
  /** Where this is. What failed there is forgotten when it is somewhere else. */
  readonly at: string;
  readonly show: (error: unknown) => ReactNode;
  readonly children: ReactNode;
}
interface State {
  readonly at: string;
  readonly failure: { readonly error: unknown } | null;
}

/** Draws something else in the place of what threw. React has no function for it: it takes a class. */
export class Boundary extends Component<Props, State> {
  override state: State = { at: this.props.at, failure: null };
  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failure: { error } };
  }
  static getDerivedStateFromProps({ at }: Props, state: State): Partial<State> | null {
    return at === state.at ? null : { at, failure: null };
  }
  override render(): ReactNode {
    const { failure } = this.state;
    return failure === null ? this.props.children : this.props.show(failure.error);
  }
}

/** What happened, in words, and the way out of it. */
export function Failure({ what, error }: { what: "page" | "dialog"; error: unknown }) {
  const missing = error instanceof PartMissing;
  const { title, text } = failureWords(what, missing ? "missing" : "broken");
  useEffect(() => {
    // Of a page that was never drawn, the title is still the one before.
    if (what === "page") document.title = `${title} · CodeHub`;
  }, [what, title]);
  return (
    <div role="alert" className={what === "page" ? "card" : ""}>
      <Empty
        page={what === "page"}
        icon={missing ? "offline" : "warning"}
        title={title}
        action={
          <button type="button" className="btn btn-primary" onClick={() => void loadAgain()}>
            <Icon name="refresh" /> Load again
          </button>
        }
      >
        {text}
        {!missing && error instanceof Error && (
          <p className="mt-2 font-mono text-[13px] wrap-anywhere text-ink-3">{error.message}</p>
        )}
      </Empty>
    </div>
  );
}
