const MOST_NAMES = 5000;
const SHOWN = 3;

/** The names that come nearest to one that is not there, the nearest first; none where nothing is near. */
export function nearNames(wanted: string, names: readonly string[]): readonly string[] {
  const limit = Math.min(5, Math.max(1, Math.floor(wanted.length / 3)));
  const near = names.slice(0, MOST_NAMES).flatMap((name) => {
    const distance = distanceOf(wanted.toLowerCase(), name.toLowerCase(), limit);
    return distance === null ? [] : [{ name, distance }];
  });
  return near
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, SHOWN)
    .map(({ name }) => name);
}

/** How many letters have to change; null where that is more than the limit, and neither name is in the other. */
function distanceOf(wanted: string, name: string, limit: number): number | null {
  const isPart = wanted.length >= 3 && name.length >= 3 && (name.includes(wanted) || wanted.includes(name));
  const apart = Math.abs(wanted.length - name.length) > limit ? limit + 1 : edits(wanted, name);
  if (apart <= limit) return apart;
  return isPart ? limit + 1 : null;
}

function edits(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const here = [row];
    for (let column = 1; column <= to.length; column++) {
      const kept = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      here.push(Math.min(kept, (above[column] ?? 0) + 1, (here[column - 1] ?? 0) + 1));
    }
    above = here;
  }
  return above[to.length] ?? 0;
}
