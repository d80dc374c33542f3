import { refused } from "./tar-header.ts";

/** The records of an extended header that this format uses, each with its own meaning. */
export interface Extension {
  path: Buffer | null;
  link: Buffer | null;
  size: number | null;
  uid: number | null;
  gid: number | null;
  mtime: string | null;
  /** For a sparse file: its name and logical size; its map is at the beginning of its data. */
  sparse: { name: Buffer | null; size: number | null; major: string; minor: string } | null;
  /** Extended attributes and access control lists, whole records, for the manifest. */
  attributes: { key: string; value: Buffer }[];
}

/** Attributes of a file are bounded by every file system; an extended header beyond this is an attack on memory. */
export const MAX_EXTENSION_BYTES = 8 * 2 ** 20;

export function emptyExtension(): Extension {
  return { path: null, link: null, size: null, uid: null, gid: null, mtime: null, sparse: null, attributes: [] };
}

/**
 * `LENGTH KEY=VALUE\n` records. A key that this program never writes is refused, not guessed at. What is returned refers
 * to the body.
 */
export function parseExtension(body: Buffer): Extension {
  const extension = emptyExtension();
  const seen = new Set<string>();
  let at = 0;
  while (at < body.length) {
    const space = body.indexOf(0x20, at);
    const digits = space === -1 ? "" : body.toString("latin1", at, space);
    const length = /^[1-9][0-9]{0,8}$/.test(digits) ? Number(digits) : 0;
    const end = at + length;
    const equals = body.indexOf(0x3d, space);
    if (length === 0 || end > body.length || body[end - 1] !== 0x0a || equals === -1 || equals >= end) {
      throw refused("an extended header is malformed");
    }
    const key = body.toString("latin1", space + 1, equals);
    if (seen.has(key)) throw refused(`an extended header has ${JSON.stringify(key)} twice`);
    seen.add(key);
    assign(extension, key, body.subarray(equals + 1, end - 1));
    at = end;
  }
  return extension;
}

function assign(extension: Extension, key: string, value: Buffer): void {
  const sparse = () => {
    extension.sparse ??= { name: null, size: null, major: "", minor: "" };
    return extension.sparse;
  };
  switch (key) {
    case "path":
      extension.path = value;
      return;
    case "linkpath":
      extension.link = value;
      return;
    case "size":
      extension.size = whole(value, key);
      return;
    case "uid":
      extension.uid = whole(value, key);
      return;
    case "gid":
      extension.gid = whole(value, key);
      return;
    case "mtime":
      extension.mtime = time(value);
      return;
    case "GNU.sparse.major":
      sparse().major = value.toString("latin1");
      return;
    case "GNU.sparse.minor":
      sparse().minor = value.toString("latin1");
      return;
    case "GNU.sparse.name":
      sparse().name = value;
      return;
    case "GNU.sparse.realsize":
      sparse().size = whole(value, key);
      return;
    default:
      if (!/^SCHILY\.(xattr\.user\.|(acl\.|xattr\.system\.posix_acl_)(access|default)$)/s.test(key)) {
        throw refused(`an extended header has ${JSON.stringify(key)}`);
      }
      extension.attributes.push({ key, value });
  }
}

function whole(value: Buffer, key: string): number {
  const digits = value.toString("latin1");
  const number = /^[0-9]{1,16}$/.test(digits) ? Number(digits) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw refused(`${key} of an entry is not a size: ${JSON.stringify(digits)}`);
  return number;
}

/** Seconds with up to nine decimals; trailing zeros are dropped, so that one time has one spelling. */
function time(value: Buffer): string {
  const digits = value.toString("latin1");
  if (!/^-?[0-9]{1,15}(\.[0-9]{1,9})?$/.test(digits)) throw refused(`an entry's time is ${JSON.stringify(digits)}`);
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}
