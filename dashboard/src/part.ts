import { type ComponentType, type LazyExoticComponent, lazy } from "react";

/** A part of the page that the server did not give: it is away, or it was updated and has other files now. */
export class PartMissing extends Error {}

/** A component that comes when it is first shown. That it did not come is told apart from one that is broken. */
export const part = <P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> =>
  lazy(async () => {
    try {
      return { default: await load() };
    } catch (cause) {
      throw new PartMissing("A part of the page did not load.", { cause });
    }
  });
