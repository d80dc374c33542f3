import type { BrowserContext } from "playwright-core";
import { it } from "vitest";
import { newPerson, type Person, type Place } from "./person.ts";
import { describeScene } from "./scene.ts";

/** Longer than any single wait in a step, so that the wait is what fails and says what it waited for. */
const STEP_LIMIT_MS = 900_000;

export interface Teller {
  /** Somebody new, with a browser of their own that is closed when the story is over. */
  readonly person: (name: string) => Promise<Person>;
  /** A part with a name; when it fails, the error says so and what was to be seen in every browser of this story. */
  readonly step: <T>(name: string, act: () => Promise<T>) => Promise<T>;
}

/**
 * A test of several steps, of which each goes on where the one before has ended. It is one test, because it can only be
 * tried again as a whole: by somebody else, from the beginning. Stories of a file have nothing in common but the program,
 * so one that mostly waits is told beside the others.
 */
export function story(kind: string, title: string, place: Place, tell: (teller: Teller) => Promise<void>): void {
  it.concurrent(title, async () => {
    const contexts: BrowserContext[] = [];
    const times: string[] = [];
    const step: Teller["step"] = async (name, act) => {
      const begun = performance.now();
      try {
        return await inTime(act());
      } catch (error) {
        const scene = await describeScene(contexts, `${kind} ${name}`.replaceAll(/\W+/g, "-"));
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(`"${name}" failed: ${why}\n\nWhat was to be seen then:\n${scene}`, { cause: error });
      } finally {
        times.push(`${((performance.now() - begun) / 1000).toFixed(0)} s: ${name}`);
      }
    };
    try {
      await tell({ step, person: (name) => newPerson(place, name, (context) => void contexts.push(context)) });
    } finally {
      console.log([`${kind}: ${title}`, ...times].join("\n  "));
      await Promise.all(contexts.map((context) => context.close()));
    }
  });
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`It was not done after ${STEP_LIMIT_MS / 1000} s`)), STEP_LIMIT_MS);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
