import type { GivenFile } from "#ports/start-extras.ts";

const BLOCK = 512;
/** The last file: whoever unpacks and does not find it has not got everything. */
export const COMPLETE = ".complete";

/** The files of a start as one archive, for whoever unpacks it as their owner. */
export function filesTar(files: readonly GivenFile[]): Buffer {
  const all = [...files, { path: COMPLETE, mode: 0o400, content: new Uint8Array() }];
  const blocks = all.flatMap(({ path, mode, content }) => [header(path, mode, content.length), padded(content)]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function padded(content: Uint8Array): Buffer {
  const block = Buffer.alloc(Math.ceil(content.length / BLOCK) * BLOCK);
  block.set(content);
  return block;
}

/** As in ustar; names that need its second field are too long for us. */
function header(path: string, mode: number, size: number): Buffer {
  const head = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, digits: number): void => {
    head.write(`${value.toString(8).padStart(digits, "0")}\0`, offset, "latin1");
  };
  const [file, folder] = split(path);
  head.write(file, 0, 100, "latin1");
  octal(mode & 0o777, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  head.fill(" ", 148, 156);
  head.write("0", 156, "latin1");
  head.write("ustar\x0000", 257, "latin1");
  head.write(folder, 345, 155, "latin1");
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return head;
}

/** The name, and what stands before it where both together do not fit into the first field. */
function split(path: string): readonly [file: string, folder: string] {
  if (path.length <= 100) return [path, ""];
  const at = path.lastIndexOf("/", 155);
  return [path.slice(at + 1), path.slice(0, at)];
}
