/**
 * For the Node that runs the IDE, with `-e`, a file and settings as JSON: adds what the file does not have. What starts the
 * IDE writes its defaults into a new home at the same time, so the file is waited for, and for its end; only an image that
 * writes none gets one of these settings alone. Whatever is no plain JSON was made by its owner, and stays as it is. A link
 * is followed, as the IDE does, and what it leads to is replaced in one step.
 */
export const SETTINGS_PROGRAM = `
const fs = require("fs");
const [, file, text] = process.argv;
const wanted = JSON.parse(text);
const FILE_MS = 10000, END_MS = 2000, LOOK_MS = 50;

function leave(why) {
  console.log("The settings of " + file + " were left as they are: " + why);
  process.exit(1);
}
function read() {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return null;
    return leave(error.message);
  }
}
function parsed(found) {
  try {
    return JSON.parse(found);
  } catch (error) {
    return undefined;
  }
}
function isLink() {
  try {
    return fs.lstatSync(file).isSymbolicLink();
  } catch (error) {
    return false;
  }
}
function put(found, merged) {
  const target = found === null ? file : fs.realpathSync(file);
  if (found === null) fs.mkdirSync(require("path").dirname(file), { recursive: true });
  const indent = (/^([ \\t]+)"/m.exec(found || "") || [null, "  "])[1];
  const mode = found === null ? 0o644 : fs.statSync(target).mode;
  const beside = target + "." + process.pid + ".new";
  fs.writeFileSync(beside, JSON.stringify(merged, null, indent) + "\\n", { mode, flag: "wx" });
  fs.renameSync(beside, target);
}
function add(found, current) {
  if (typeof current !== "object" || current === null || Array.isArray(current)) leave("they are no object.");
  const has = (key) => Object.prototype.hasOwnProperty.call(current, key);
  const missing = Object.entries(wanted).filter(([key]) => !has(key));
  if (missing.length > 0) put(found, Object.fromEntries([...Object.entries(current), ...missing]));
  for (const [key] of missing) console.log("added: " + key);
  for (const key of Object.keys(wanted).filter(has)) console.log("there already: " + key);
}

const begun = Date.now();
let seenAt = 0;
(function look() {
  const found = read();
  const current = found === null ? undefined : parsed(found);
  if (current !== undefined) return add(found, current);
  if (found !== null && seenAt === 0) seenAt = Date.now();
  const isOver = found === null ? Date.now() - begun >= FILE_MS : Date.now() - seenAt >= END_MS;
  if (!isOver) return void setTimeout(look, LOOK_MS);
  if (found === null && isLink()) leave("they are a link that leads nowhere.");
  if (found !== null && found.trim() !== "") leave("they have comments or a mistake, so that only you can change them.");
  add(found, {});
})();
`.trim();
