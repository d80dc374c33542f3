import { startTool, type Tool } from "../tools.ts";

/** Both ways: what of an inode is kept. Attributes outside `user.` need rights that a home's owner never has. */
const KEPT = ["--numeric-owner", "--xattrs", "--xattrs-include=user.*", "--acls"];

/** 64 KiB at a time, as much as a pipe holds; the usual 10 are more calls for the same bytes. */
const RECORD = "--blocking-factor=128";

/**
 * A tree as a stream that depends on the tree alone: names sorted, no times of reading or changing, no process ids in
 * the names of extended headers. Files that change while they are read make tar fail.
 */
export function startTarCreate(home: string, stdout: number): Tool {
  return startTool(
    "tar",
    [
      "--create",
      RECORD,
      "--file=-",
      `--directory=${home}`,
      "--format=posix",
      "--pax-option=delete=atime,delete=ctime,exthdr.name=%d/PaxHeaders/%f",
      "--sort=name",
      "--sparse",
      ...KEPT,
      ".",
    ],
    "ignore",
    stdout,
  );
}

/** Unpacks into an empty home that nobody else can see yet. The stream was held to the rules before tar sees it. */
export function startTarExtract(home: string, stdin: number): Tool {
  return startTool(
    "tar",
    [
      "--extract",
      RECORD,
      "--file=-",
      `--directory=${home}`,
      "--preserve-permissions",
      "--same-owner",
      "--delay-directory-restore",
      // Files may be from long ago or from the future; everything else that tar says is an error.
      "--warning=no-timestamp",
      ...KEPT,
    ],
    stdin,
    "ignore",
  );
}
