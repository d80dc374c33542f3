import type { Readable } from "node:stream";
import { type Emptied, type HomeLook, LOOK_DEPTH, type Taken, WORTH_BYTES } from "#core/space/home-look.ts";

/** Together less than a minute, which is as long as fronts wait for an answer. */
const SECONDS = { caches: 10, look: 30, before: 10, empty: 25, after: 8 } as const;
/** What the program inside needs, and a little for it to begin and end. */
export const LOOK_LIMITS = { limitMs: (SECONDS.caches + SECONDS.look + 5) * 1_000, mostBytes: 4 * 1024 * 1024 };
export const EMPTY_LIMITS = {
  limitMs: (SECONDS.before + SECONDS.empty + SECONDS.after + 5) * 1_000,
  mostBytes: 65_536,
};

/**
 * Run inside, as the workspace's user, with the home and the folders as arguments. Small images have no `nice`, and some no
 * `timeout`: what there is, is used. Only folders that lead nowhere else are the home's own: of one that is a link, or lies
 * behind one, it is not said what it takes, and it is not emptied. What is killed has said what it saw until then.
 */
const BEGIN = `export LC_ALL=C
cd -P -- "$1" || exit 1
shift
home=$(pwd -P)
within() {
  seconds=$1; shift
  if command -v timeout > /dev/null; then set -- timeout -s KILL "$seconds" "$@"; fi
  if command -v nice > /dev/null; then set -- nice -n 19 "$@"; fi
  "$@"
}
for folder in "$@"; do
  shift
  [ "$(cd -P -- "$folder" 2> /dev/null && pwd -P)" = "$home/$folder" ] && set -- "$@" "./$folder"
done
`;

/**
 * Records end with a byte that no name has: a line end is part of many a hostile one. busybox has no such option, so there
 * a name of two lines is two records, of which the second is nothing or a lie about its own home.
 */
const LOOK = `${BEGIN}printf 'home\\0'
{ [ $# -eq 0 ] || within ${SECONDS.caches} du -skx -- "$@"; echo "counted $?"; } | tr '\\n' '\\0'
if du -0 -s -t 1 /dev/null > /dev/null 2>&1; then
  within ${SECONDS.look} du -0akx -t ${WORTH_BYTES} -d ${LOOK_DEPTH} .
  printf 'looked %s\\0' "$?"
else
  { within ${SECONDS.look} du -akx -d ${LOOK_DEPTH} .; echo "looked $?"; } | grep -E '^([0-9]{4}|looked )' | tr '\\n' '\\0'
fi
`;

/**
 * Folders that nobody may write to, as Go leaves them, are opened first; what is of another disk stays. Not every busybox
 * has a `find` that deletes.
 */
const EMPTY = `${BEGIN}size() {
  seconds=$1; shift
  if [ $# -eq 0 ]; then echo '0 total'; else within "$seconds" du -sckx -- "$@" | tail -n 1; fi
}
echo "before $(size ${SECONDS.before} "$@")"
within ${SECONDS.empty} /bin/sh -c '
  home=$1; shift; failed=0
  for folder; do
    cd -P -- "$home/$folder" && [ "$(pwd -P)" = "$home/\${folder#./}" ] || { failed=1; continue; }
    find . -xdev -type d ! -perm -700 -exec chmod u+rwx {} +
    find . -xdev -mindepth 1 ! -type d -exec rm -f {} +
    find . -xdev -depth -mindepth 1 -type d -exec rmdir {} +
    [ -z "$(ls -A | head -n 1)" ] || failed=1
  done
  exit $failed' sh "$home" "$@"
echo "emptied $?"
echo "after $(size ${SECONDS.after} "$@")"
`;

const command = (script: string, home: string, folders: readonly string[]): readonly string[] => [
  ...["/bin/sh", "-c", script, "sh", home],
  ...folders,
];

export const lookCommand = (home: string, folders: readonly string[]): readonly string[] =>
  command(LOOK, home, folders);

export const emptyCommand = (home: string, folders: readonly string[]): readonly string[] =>
  command(EMPTY, home, folders);

/** What a program of the workspace's user said, who may have put another in its place: it is of that user's home alone. */
export function readLook(said: string): HomeLook {
  const [begun, ...records] = said.split("\0").slice(0, -1);
  if (begun !== "home") throw new Error("The workspace did not say what is in its home.");
  const counted = records.findIndex((record) => record.startsWith("counted "));
  const of = (part: readonly string[]): Taken[] => part.flatMap((record) => takenIn(record) ?? []);
  return {
    whole: ended(records, "counted") && ended(records, "looked"),
    caches: of(counted === -1 ? records : records.slice(0, counted)),
    taken: of(counted === -1 ? [] : records.slice(counted + 1)),
  };
}

/** Where not everything may be read, the rest was: `du` then ends with 1. */
const ended = (records: readonly string[], word: string): boolean =>
  records.some((record) => record === `${word} 0` || record === `${word} 1`);

function takenIn(record: string): Taken | null {
  const [, kilobytes, path] = /^(\d{1,12})\s+\.(?:\/(.*))?$/s.exec(record) ?? [];
  return kilobytes === undefined ? null : { path: path ?? "", bytes: Number(kilobytes) * 1_024 };
}

export function readEmptied(said: string): Emptied {
  if (!/^before /.test(said)) throw new Error("The workspace did not say what became of its cache.");
  const total = (word: string): number | null => {
    const kilobytes = new RegExp(`^${word} (\\d{1,12})\\s+total$`, "m").exec(said)?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1_024;
  };
  return { whole: /^emptied 0$/m.test(said), before: total("before"), after: total("after") };
}

export interface HearLimits {
  readonly limitMs: number;
  readonly mostBytes: number;
}

/** What was said until it ended, broke off, took too long or was too much: what comes in order is true as far as it goes. */
export async function heard(stream: Readable, { limitMs, mostBytes }: HearLimits): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  const limit = setTimeout(() => stream.destroy(), limitMs);
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size >= mostBytes) break;
    }
  } catch {
    // Cut off, by the limit or by whoever was speaking.
  } finally {
    clearTimeout(limit);
  }
  return Buffer.concat(parts).toString("utf8");
}
