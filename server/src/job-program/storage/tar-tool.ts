import { startTool, type Tool } from "../tools.ts";

/**
 * Both ways: what of an inode is kept. Attributes outside `user.` need rights that a home's owner never has, except access
 * control lists, which `protocol.ts` tells of.
 */
const kept = (formatVersion: number): string[] => [
  "--numeric-owner",
  "--xattrs",
  "--xattrs-include=user.*",
  formatVersion === 1 ? "--acls" : "--xattrs-include=system.posix_acl_*",
];

/** 64 KiB at a time, as much as a pipe holds; the usual 10 are more calls for the same bytes. */
const RECORD = "--blocking-factor=128";

/**
 * A tree as a stream that depends on the tree alone: names sorted, no times of reading or changing, no process ids in
 * the names of extended headers. Files that change while they are read make tar fail.
 */
export function startTarCreate(home: string, stdout: number, formatVersion: number): Tool {
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
      ...kept(formatVersion),
      ".",
    ],
    "ignore",
    stdout,
  );
}

/** Unpacks into an empty home that nobody else can see yet. The stream was held to the rules before tar sees it. */
export function startTarExtract(home: string, stdin: number, formatVersion: number): Tool {
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
      ...kept(formatVersion),
    ],
    stdin,
    "ignore",
  );
}
