import { escapeHtml } from "#proxy/pages/layout.ts";
import type { ChangingContent, ContentChange } from "#proxy/wire/content-change.ts";
import { valuesOf } from "#proxy/wire/response-head.ts";

/** For a page that is served before its container answers. The script says so until the IDE is to be seen. */
export const tabTag = (heading: string): string =>
  `<script src="/.codehub/tab.js" defer data-ahead="${escapeHtml(heading)}"></script>`;

const TAG = '<script src="/.codehub/tab.js" defer></script>';
/** The head of a page begins at its beginning; what has none so far is passed on as it is. */
const SEARCH_BYTES = 16_384;

/** Adds the script that watches beside the IDE to the page that the IDE is, on its way from the container. */
export const TAB_TAG: ContentChange = {
  begin: (status, headers) => beginTagging(status, headers, ""),
};

/** Null where there is no page to be tagged. */
export const beginTagging = (status: number, headers: readonly string[], before: string): ChangingContent | null =>
  status === 200 && isPage(headers) ? addTag(Buffer.from(before + TAG)) : null;

/** HTML that is to be shown and may be changed, and that can be read without unpacking it. */
const isPage = (headers: readonly string[]): boolean =>
  valuesOf(headers, "content-type")[0]?.startsWith("text/html") === true &&
  valuesOf(headers, "content-encoding").every((coding) => coding === "" || coding === "identity") &&
  !valuesOf(headers, "content-disposition").some((value) => value.startsWith("attachment")) &&
  !valuesOf(headers, "cache-control").some((value) => value.includes("no-transform"));

function addTag(tag: Buffer): ChangingContent {
  const search = new HeadSearch();
  return {
    chunk: (chunk) => tagged(chunk, search.in(chunk), tag),
    end: () => undefined,
  };
}

/** The whole page with a tag of this text instead; as it is where it has no head. */
export const withTag = (page: Buffer, tag: string): Buffer => tagged(page, new HeadSearch().in(page), Buffer.from(tag));

const tagged = (chunk: Buffer, at: number, tag: Buffer): Buffer =>
  at < 0 ? chunk : Buffer.concat([chunk.subarray(0, at), tag, chunk.subarray(at)]);

const OPEN = "<head";
const LESS = 0x3c;
const GREATER = 0x3e;
const QUOTES: ReadonlySet<number> = new Set([0x22, 0x27]);
/** What may follow a tag's name: a blank, a slash or its end. */
const AFTER_NAME: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x2f, GREATER]);

/** Looks for the place behind a page's opening `<head …>`, byte by byte, wherever the chunks begin and end. */
class HeadSearch {
  #left = SEARCH_BYTES;
  /** How much of the tag's beginning has been seen. */
  #matched = 0;
  #inTag = false;
  /** The mark that ends a quoted value of one of its attributes. */
  #quote = 0;

  /** Where in this chunk the place is, or -1. It is found once. */
  in(chunk: Buffer): number {
    const end = Math.min(chunk.length, this.#left);
    for (let i = 0; i < end; i += 1) {
      if (!this.#isEnd(chunk[i] ?? 0)) continue;
      this.#left = 0;
      return i + 1;
    }
    this.#left -= end;
    return -1;
  }

  #isEnd(byte: number): boolean {
    if (this.#inTag) return this.#endsTag(byte);
    if (this.#matched === OPEN.length && AFTER_NAME.has(byte)) {
      this.#inTag = true;
      return byte === GREATER;
    }
    // Setting this bit makes a capital letter small, and leaves `<` what it is.
    if ((byte | 0x20) === OPEN.charCodeAt(this.#matched)) this.#matched += 1;
    else this.#matched = byte === LESS ? 1 : 0;
    return false;
  }

  #endsTag(byte: number): boolean {
    if (this.#quote !== 0) {
      if (byte === this.#quote) this.#quote = 0;
      return false;
    }
    if (QUOTES.has(byte)) this.#quote = byte;
    return byte === GREATER;
  }
}
