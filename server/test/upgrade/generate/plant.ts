import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  lchownSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** 2026-01-02 03:04:05.125: the same in every home, so that only what is different is different. */
const TIME = 1_767_323_045.125;

/** A small home with one of each thing that an archive has to bring back as it was. Root only: it gives files away. */
export function plantHome(home: string, text: string, owner: number): void {
  const at = (name: string) => join(home, name);
  writeFileSync(at("notes.txt"), `${text}\n`);
  mkdirSync(at("project"));
  writeFileSync(at("project/run.sh"), "#!/bin/sh\nexec true\n", { mode: 0o755 });
  writeFileSync(at("project/secret"), text.repeat(40), { mode: 0o600 });
  mkdirSync(at("empty"), { mode: 0o500 });
  symlinkSync("project/run.sh", at("link"));
  symlinkSync("/etc/passwd", at("absolute-link"));
  linkSync(at("notes.txt"), at("same-notes.txt"));
  writeFileSync(at("grüße 日本語 e\u0301.txt"), "unicode");
  writeFileSync(Buffer.concat([Buffer.from(`${home}/line\nbreak `), Buffer.from([0xff, 0x80])]), "no text");
  sparse(at("sparse"), text);
  execFileSync("mkfifo", [at("pipe")]);
  giveAway(home, owner);
  lchownSync(at("project/secret"), 3_000_000, 3_000_001);
  chmodSync(at("project/run.sh"), 0o4755);
  chmodSync(at("project/secret"), 0o000);
  execFileSync("setfattr", ["-n", "user.comment", "-v", text, at("notes.txt")]);
  execFileSync("setfattr", ["-n", "user.binary", "-v", "0x00ff0a3d00", at("project")]);
  execFileSync("setfacl", ["-m", "u:12345:rwx", at("project/run.sh")]);
  execFileSync("setfacl", ["-d", "-m", "g:4242:rx", at("project")]);
  setTimes(home);
}

function sparse(path: string, text: string): void {
  const file = openSync(path, "wx");
  ftruncateSync(file, 3 * 2 ** 20);
  writeSync(file, text, 2 ** 20 + 7);
  closeSync(file);
}

function giveAway(folder: string, owner: number): void {
  for (const path of below(folder)) lchownSync(path, owner, owner);
}

function setTimes(home: string): void {
  for (const path of [...below(home).toReversed(), home]) lutimesSync(path, TIME, TIME);
}

/** Folders before what is in them. */
function below(folder: string): Buffer[] {
  return readdirSync(folder, { encoding: "buffer", withFileTypes: true }).flatMap((entry) => {
    const path = Buffer.concat([Buffer.from(`${folder}/`), entry.name]);
    return entry.isDirectory() ? [path, ...below(path.toString())] : [path];
  });
}
