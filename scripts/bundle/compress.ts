import { globSync } from "node:fs";
import { cp, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

/** At the next quality, the files of the database take ten times as long, and are a tenth smaller. */
const QUALITY = 9;

const TEXT = /\.(css|html|js|json|md|svg|txt|xml)$/;

/** Smaller texts take a block of the disk either way. */
const LEAST_BYTES = 4096;

/** Copies a file compressed, or a folder with its texts compressed. What is compressed ends in `.br`. */
export async function copyCompressed(source: string, target: string): Promise<void> {
  if (!(await stat(source)).isDirectory()) return writeCompressed(source, target);
  const files = globSync("**/*", { cwd: source, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(source.length + 1));
  await Promise.all(
    files.map(async (file) => {
      const [from, to] = [join(source, file), join(target, file)];
      const { size } = await stat(from);
      if (size >= LEAST_BYTES && TEXT.test(file)) return writeCompressed(from, to);
      await mkdir(dirname(to), { recursive: true });
      await cp(from, to);
    }),
  );
}

async function writeCompressed(source: string, target: string): Promise<void> {
  const compressed = await compress(await readFile(source));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(`${target}.br`, compressed);
}

export function compress(bytes: Uint8Array, windowBits = 22): Promise<Buffer> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: windowBits,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return promisify(brotliCompress)(bytes, { params });
}
