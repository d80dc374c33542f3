/** What a log keeps: its beginning, and two of these from its end. */
const FIRST_BYTES = 65_536;
const LAST_BYTES = 98_304;

/** For a shell: `keep LOG` writes its input there, in parts while there is more to come. */
export const KEEPING = `keep() {
  size=0
  while [ "$size" -lt ${FIRST_BYTES} ]; do
    dd bs=4096 count=16 2>/dev/null >>"$1"
    now=$(bytes "$1")
    [ "$now" -gt "$size" ] || break
    size=$now
  done
  if [ "$size" -ge ${FIRST_BYTES} ]; then
    size=0
    while :; do
      dd bs=4096 count=16 2>/dev/null >>"$1.2"
      now=$(bytes "$1.2")
      [ "$now" -gt "$size" ] || break
      size=$now
      [ "$size" -lt ${LAST_BYTES} ] || { mv -f "$1.2" "$1.1"; size=0; }
    done
  fi
  cat >/dev/null
  for part in "$1.1" "$1.2"; do [ ! -f "$part" ] || { cat "$part" >>"$1"; rm -f "$part"; }; done
}`;

/** In one line, so that a line stays below 4 KiB: 3 bytes are 4 signs, and a multiple of 3 needs no padding. */
const PIECE_BYTES = 2_400;
/**
 * What is shown of a step: its beginning, its end, and meanwhile its latest words. Small, because all steps together have
 * to fit into the megabyte that is read of a container's log, and bounded, so that a flood pushes nothing else out of it.
 */
const HEAD_BYTES = 8 * PIECE_BYTES;
const TAIL_BYTES = 10 * PIECE_BYTES;
const RECENT_BYTES = PIECE_BYTES / 4;
/** How often something new is shown while a step runs: at first every second, then ever more rarely, then no more. */
const QUICK_TURNS = 30;
const MOST_TURNS = 60;
const LONGEST_PAUSE = 600;

/**
 * For a shell: `show STEP LOG` puts what is to be seen of a log into the container's own, `follow` does while it is written,
 * and `settle` gives the one who keeps it a second to come to its end: what a command left running may hold it much longer.
 */
export const SHOWING = `say() {
  from=$3
  base64 | tr -d '\\n' | fold -w ${(PIECE_BYTES / 3) * 4} | while IFS= read -r data || [ -n "$data" ]; do
    printf '\\036codehub {"run":"%s","step":"%s","part":"%s","from":%d,"gap":%d,"data":"%s"}\\n' "$run" "$1" "$2" "$from" "$4" "$data" >&3
    from=$((from + ${PIECE_BYTES}))
  done
}
head_of() {
  size=$(bytes "$2")
  [ "$size" -lt ${HEAD_BYTES} ] || size=${HEAD_BYTES}
  [ "$size" -gt "$sent" ] || return 1
  tail -c +$((sent + 1)) "$2" | head -c $((size - sent)) | say "$1" head "$sent" 0
  sent=$size
}
tail_of() {
  beyond=$(($(bytes "$2") - ${HEAD_BYTES} + $(bytes "$2.1") + $(bytes "$2.2")))
  [ "$beyond" -gt 0 ] && [ "$beyond" != "$told" ] || return 1
  told=$beyond
  [ "$beyond" -gt "$4" ] && gap=1 || gap=0
  { tail -c +${HEAD_BYTES + 1} "$2"; cat "$2.1" "$2.2"; } 2>/dev/null | tail -c "$4" | say "$1" "$3" 0 "$gap"
}
show() {
  sent=0
  told=0
  head_of "$1" "$2"
  tail_of "$1" "$2" tail ${TAIL_BYTES}
}
follow() {
  sent=0
  told=0
  turns=0
  pause=1
  while [ "$turns" -lt ${MOST_TURNS} ]; do
    sleep "$pause"
    new=
    head_of "$1" "$2" && new=1
    tail_of "$1" "$2" recent ${RECENT_BYTES} && new=1
    [ -n "$new" ] || continue
    turns=$((turns + 1))
    [ "$turns" -lt ${QUICK_TURNS} ] || pause=$((pause + pause / 3 + 1))
    [ "$pause" -lt ${LONGEST_PAUSE} ] || pause=${LONGEST_PAUSE}
  done
}
settle() {
  tries=0
  while [ "$tries" -lt 10 ] && kill -0 "$1"; do
    sleep 0.1
    tries=$((tries + 1))
  done
}`;
