import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompressSync, constants } from "node:zlib";

/**
 * A folder as one compressed file. A new database of PostgreSQL is three copies of the same files, which only a window
 * as large as all of them finds.
 */
export async function packFolder(folder: string): Promise<Buffer> {
  const tar = execFileSync(
    "tar",
    ["--sort=name", "--numeric-owner", "-C", folder, "-cf", "-", "."],
    {
      maxBuffer: 1024 ** 3,
    },
  );
  return promisify(brotliCompress)(tar, {
    params: {
      [constants.BROTLI_PARAM_LARGE_WINDOW]: 1,
      [constants.BROTLI_PARAM_LGWIN]: 27,
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
    },
  });
}

/** Its files belong to the user who unpacks it. */
export function unpackFolder(file: string, folder: string) {
  const tar = brotliDecompressSync(readFileSync(file), {
    params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 },
  });
  execFileSync("tar", ["--no-same-owner", "-C", folder, "-xpf", "-"], { input: tar });
}
