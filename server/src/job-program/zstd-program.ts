import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";

/** zstd for machines that do not have it, with Node's own library: `-d`, or a level such as `-1`; stdin to stdout. */
const [option = ""] = process.argv.slice(2);
const params = {
  [constants.ZSTD_c_compressionLevel]: -Number(option),
  [constants.ZSTD_c_checksumFlag]: 1,
};
try {
  await pipeline(
    process.stdin,
    option === "-d" ? createZstdDecompress() : createZstdCompress({ params }),
    process.stdout,
  );
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
