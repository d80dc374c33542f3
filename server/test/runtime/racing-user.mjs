// A hostile user's process for tests: in the directory it is started in, it swaps a directory for a link to somebody
// else's, and back, as fast as it can. It ends by itself when the directory is closed to it, or when it is killed.
import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";

const [target, names] = process.argv.slice(2);
const files = names.split(",");
const attempt = (act) => {
  try {
    act();
  } catch {
    // Whoever removes the tree was faster this time.
  }
};
const fill = () => {
  attempt(() => mkdirSync("a"));
  for (const name of files) attempt(() => writeFileSync(`a/${name}`, "bait"));
};

for (let round = 0; ; round++) {
  if (round % 50 === 0) fill();
  attempt(() => renameSync("a", "b"));
  attempt(() => symlinkSync(target, "a"));
  if (round === 100) process.stdout.write("racing\n");
  attempt(() => unlinkSync("a"));
  attempt(() => renameSync("b", "a"));
}
