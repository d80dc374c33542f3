import { type ComponentType, createElement, lazy, type ReactElement, useState } from "react";

/** A part of the page that the server did not give: it is away, or it was updated and has other files now. */
export class PartMissing extends Error {}

interface Part<P> {
  (props: P): ReactElement;
  /** Has it here when it is first shown: React waits a third of a second before it takes a spinner away again. */
  readonly ahead: () => Promise<void>;
}

/** A component that comes when it is first shown, or before. That it did not come is told apart from one that is broken. */
export function part<P extends object>(load: () => Promise<ComponentType<P>>): Part<P> {
  let here: ComponentType<P> | null = null;
  const fetched = async () => {
    try {
      here = await load();
      return { default: here };
    } catch (cause) {
      throw new PartMissing("A part of the page did not load.", { cause });
    }
  };
  const Late: ComponentType<P> = lazy(fetched);
  const show = (props: P) => createElement(Chosen<P>, { from: () => here ?? Late, props });
  // That it does not come is said where it is shown.
  const ahead = () => fetched().then(NOTHING, NOTHING);
  return Object.assign(show, { ahead });
}

/** What it began with is what it stays: another component in its place would begin anew. */
function Chosen<P extends object>({ from, props }: { from: () => ComponentType<P>; props: P }): ReactElement {
  const [Component] = useState(from);
  return createElement(Component, props);
}

const NOTHING = (): void => {};
