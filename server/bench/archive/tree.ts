import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MIB = 2 ** 20;

/**
 * A home like a developer's: most files small and text, some large; half of the bytes compress well, a quarter a
 * little, a quarter not at all. The same tree for the same size.
 */
export function plantMixedTree(home: string, totalBytes: number): { files: number; bytes: number } {
  const random = generator(20_261);
  const text = wordsOf(random, 8 * MIB);
  const noise = Buffer.alloc(8 * MIB);
  for (let i = 0; i < noise.length; i += 4) noise.writeUInt32LE(Math.floor(random() * 2 ** 32), i);
  const half = Buffer.from(noise.map((byte, i) => (i % 2 === 0 ? byte : (text[i] ?? 0))));
  let bytes = 0;
  let files = 0;
  while (bytes < totalBytes) {
    const folder = join(home, `project-${files % 41}`, `part-${files % 17}`);
    mkdirSync(folder, { recursive: true });
    const large = files % 200 === 0;
    const length = Math.floor(large ? 2 * MIB + random() * 5 * MIB : 200 + random() ** 4 * 150_000);
    const pool = large ? [text, noise, half, noise][(files / 200) % 4] : text;
    if (pool === undefined) throw new Error("no such pool");
    const from = Math.floor(random() * (pool.length - length));
    writeFileSync(join(folder, `file-${files}`), pool.subarray(from, from + length));
    bytes += length;
    files++;
  }
  return { files, bytes };
}

/** A small generator with a fixed beginning: benches must not differ by their luck. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function wordsOf(random: () => number, length: number): Buffer {
  const words = Array.from({ length: 4000 }, () =>
    Array.from(
      { length: 2 + Math.floor(random() * 9) },
      () => "etaoinshrdlucmfwypvbgkjqxz"[Math.floor(random() ** 2 * 26)],
    ).join(""),
  );
  const text = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    at += text.write(`${words[Math.floor(random() ** 3 * words.length)]}${random() < 0.1 ? "\n" : " "}`, at, "latin1");
  }
  return text;
}
