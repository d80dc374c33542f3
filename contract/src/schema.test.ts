import { Compile } from "typebox/compile";
import { describe, expect, it } from "vitest";
import { line } from "./schema.ts";

const name = Compile(line(100));

describe("a name of one line", () => {
  it.each([
    ["letters of any script", "Prüfung ポータル مشروع проект"],
    ["an emoji with its presentation selector", "❤️ love"],
    ["an emoji with a skin tone", "👍🏽"],
    ["a flag", "🇯🇵"],
    ["a combining accent", "e\u0301te\u0301"],
    ["spaces inside", "my paper"],
  ])("may have %s", (_what, text) => {
    expect(name.Check(text)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["only a space", " "],
    ["only an ideographic space", "\u3000"],
    ["a line break", "a\nb"],
    ["a line separator", "a\u2028b"],
    ["half a character", "a\ud800"],
    ["a direction override", "safe\u202egnp.exe"],
    ["a direction isolate", "a\u2066b\u2069"],
    ["a direction mark", "a\u200fb"],
    ["an Arabic letter mark", "a\u061cb"],
    ["a zero-width space", "pay\u200bpal"],
    ["a joiner", "👩\u200d💻"],
    ["a word joiner", "a\u2060b"],
    ["an invisible times sign", "a\u2062b"],
    ["a byte order mark", "\ufeffa"],
    ["a soft hyphen", "pay\u00adpal"],
    ["a Mongolian vowel separator", "a\u180eb"],
    ["a Hangul filler", "\u3164"],
    ["an empty Braille cell", "\u2800"],
    ["hidden tag characters", "a\u{e0041}\u{e007f}"],
    ["a hidden variation selector", "a\u{e0100}"],
  ])("may not have %s", (_what, text) => {
    expect(name.Check(text)).toBe(false);
  });

  it("has none of the characters that Unicode says are not to be seen, but the one that makes an emoji of a sign", () => {
    const hidden = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]$/u;
    const accepted: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      if (hidden.test(character) && name.Check(`a${character}b`)) accepted.push(code.toString(16));
    }
    expect(accepted).toEqual(["fe0f"]);
  });
});
